import type { ErrorCode } from "../../src/contract/errors.ts";

interface RequestWords {
  readonly title?: string;
  /** Empty: there is nothing to add to the title. */
  readonly detail?: string;
  readonly hint: string;
}

/** The service speaks to programs: its routes and headers mean nothing to somebody at the page. */
const words: Partial<Record<ErrorCode, RequestWords>> = {
  validation_failed: { title: "Something is not right yet", hint: "Correct it, and try again." },
  auth_missing: { title: "The services ask for a key", hint: "Enter it here; whoever runs the services has made it." },
  auth_invalid: { hint: "Check it for a typing mistake, and enter it here again." },
  auth_expired: { hint: "Ask whoever runs the services for a new one, and enter it here." },
  scope_missing: { hint: "Ask whoever runs the services for a key that may do this, and set it under Settings." },
  run_not_found: { hint: "It may have been deleted, or the address is cut off. Runs shows the ones there are." },
  run_already_finished: { hint: "Reload the page to see how it ended." },
  not_found: { hint: "The service and this page may be of different versions. Reload the page." },
  model_id_missing: { title: "No model is chosen", detail: "", hint: "Pick a model above." },
  model_id_invalid: {
    title: "No model goes by this name",
    detail: "",
    hint: "Pick a model from the list above, or type it as provider/model.",
  },
  model_not_found: { hint: "Pick a model from the list above; Models shows those that are known." },
  body_too_large: {
    title: "This is too much to send at once",
    detail: "",
    hint: "Send less at once. Settings shows how much the services take, which whoever runs them can raise.",
  },
  rate_limited: { hint: "Wait a moment, then try again." },
  overloaded: { hint: "Wait a moment, then try again." },
  upstream_rate_limited: { hint: "Wait a minute, then try again. If it happens often, look at your limits there." },
  upstream_circuit_open: { hint: "Wait a minute, then try again. Models shows what failed." },
  run_not_finished: { hint: "Wait until it has ended, then try again." },
};

/** How the page says what a service answered, where it says it in other words. */
export const requestWords = (code: string): Partial<RequestWords> => words[code as ErrorCode] ?? {};
