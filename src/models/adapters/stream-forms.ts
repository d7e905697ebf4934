import type { Outbound } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";

/** How a reply is asked for: as a stream that tells its tokens at the end, as any stream, or in one piece. */
export type StreamForm = "with-usage" | "plain" | "none";

/** Addresses that are remembered at most. Forgetting one costs one refused call. */
const mostRemembered = 1_000;

const remembered = new WeakMap<Outbound, Map<string, StreamForm>>();

/** The best form of streaming that an address has not refused. */
export function streamFormAt(outbound: Outbound, url: string): StreamForm {
  return remembered.get(outbound)?.get(url) ?? "with-usage";
}

export function rememberStreamForm(outbound: Outbound, url: string, form: StreamForm): void {
  const forms = remembered.get(outbound) ?? new Map<string, StreamForm>();
  remembered.set(outbound, forms);
  forms.set(url, form);
  const oldest = forms.keys().next();
  if (forms.size > mostRemembered && !oldest.done) forms.delete(oldest.value);
}

/** The form that is left when a server refuses a request because of how it was to stream. Null: it refuses something else. */
export function formLeft({ status, body }: FailedResponse, refused: StreamForm): StreamForm | null {
  if (refused === "none" || ![400, 404, 405, 406, 415, 422, 501].includes(status)) return null;
  const message = body.slice(0, 2_000).toLowerCase();
  if (!message.includes("stream")) return null;
  return refused === "with-usage" && /stream_options|include_usage/.test(message) ? "plain" : "none";
}
