import { createSpanReceiver, type SpanReceiver } from "../../services/evaluation/otel/receiver.ts";
import type { Core } from "./core.ts";

/** Receives the spans of agents under test into the store of this process. */
export function spanReceiver({ storage, log, logFailure }: Pick<Core, "storage" | "log" | "logFailure">): SpanReceiver {
  return createSpanReceiver({
    spans: storage.store.spans,
    onForeign: (hint) => log.warn(hint),
    onError: (error) => logFailure(error, "spans could not be stored"),
  });
}
