import { brokenCalls, type ErrorCode } from "../errors.ts";
import { OnDisconnect } from "../schemas/request-headers.ts";

/** How the model of a turn can fail, on every wire. */
export const turnErrors: readonly ErrorCode[] = [
  "model_id_missing",
  "model_id_invalid",
  "validation_failed",
  "model_not_found",
  "context_length_exceeded",
  "upstream_rate_limited",
  ...brokenCalls,
  "endpoint_address_refused",
  "upstream_circuit_open",
  "upstream_timeout",
  "overloaded",
  "shutting_down",
];

/** What may be said about a turn in headers, on every wire. */
export const turnHeaders = {
  "x-model-fallbacks": {
    description:
      "Models to try, comma separated, when the provider of the first one fails for reasons other than the request. `x-model-resolved` says which one answered. When none does, the failure of the first is told.",
  },
  "x-agent-tools": { description: "Names of the agent's tools this turn may use, comma separated; `none` for none." },
  "x-on-disconnect": {
    description: "`cancel` (default) ends the run when the client goes away; `continue` lets it end by itself.",
    schema: OnDisconnect,
  },
};

/** For wires whose body names the model. */
export const modelHeader = { "x-model-id": { description: "Serves where the body has no `model`." } };

/** Which run and which model: also of one that failed. */
export const runHeaders = {
  "x-run-id": { description: "The run, once there is one: GET /agent/runs/{run_id} tells of it." },
  "x-model-resolved": { description: "The model that answered, by its UUID or `<provider>/<model_name>`." },
};
