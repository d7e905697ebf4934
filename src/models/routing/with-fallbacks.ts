import { compact } from "../../base/compact.ts";
import type { ErrorCode } from "../../contract/errors/errors.ts";
import type { ChatModel, FailedReply } from "../../contract/ports/chat-model.ts";
import type { RoutedModel } from "./router.ts";

/**
 * Failures that the request did not cause, so another model may succeed. A request that is too long, names an unknown model or
 * is rejected for its content gets no fallback.
 */
const fallbackCodes: ReadonlySet<ErrorCode> = new Set([
  "upstream_rate_limited",
  "upstream_unreachable",
  "upstream_dns",
  "upstream_tls",
  "upstream_auth",
  "upstream_error",
  "upstream_reset",
  "upstream_redirect",
  "upstream_invalid_reply",
  "upstream_circuit_open",
  "upstream_timeout",
  "endpoint_address_refused",
  "overloaded",
]);

/** A failed model whose failure is not the result of the call: a fallback's reply or the first failure is. */
export interface PassedOver {
  readonly route: RoutedModel;
  readonly reply: FailedReply;
}

/** While another model is left, a longer wait that an upstream asks for counts as a failure. */
const longestDetourMs = 2000;

/**
 * One model made of several. Each call goes to the model that answered last, at first to the first; after a failure that
 * another model may not have, the next is called, until none is left. Unknown fallbacks are skipped. If none answers, the
 * first failure is the result. Streamed text cannot be taken back, so after text the failure is final; reasoning does not
 * count. `onSwitch` gets the model that took over, `onPassedOver` each failed model, once the call has ended.
 */
export function withFallbacks(
  routes: readonly [RoutedModel, ...RoutedModel[]],
  onSwitch: (route: RoutedModel) => void,
  onPassedOver: (passedOver: PassedOver) => void = () => {},
): ChatModel {
  let answered = 0;

  return async (request, { onText, onReasoning, longestWaitMs = Number.POSITIVE_INFINITY, ...rest }) => {
    let [spoken, thought] = [false, false];
    const options = compact({
      ...rest,
      longestWaitMs,
      onReasoning: onReasoning
        ? (text: string) => {
            thought = true;
            onReasoning(text);
          }
        : undefined,
      onText: onText
        ? (text: string) => {
            spoken ||= text !== "";
            onText(text);
          }
        : undefined,
    });
    const start = answered;
    const failed: PassedOver[] = [];
    for (let index = start; ; index += 1) {
      const next = routes[index + 1];
      const route = routes[index] ?? routes[0];
      const reply = await route.model(
        request,
        next ? { ...options, longestWaitMs: Math.min(longestWaitMs, longestDetourMs) } : options,
      );
      if (reply.ok) answered = index;
      if (reply.ok || spoken) {
        failed.forEach(onPassedOver);
        return reply;
      }
      failed.push({ route, reply });
      if (!next || !mayBeCured(reply, index)) {
        const [first, ...others] = failed;
        others.forEach(onPassedOver);
        if (index > start) onSwitch(routes[start] ?? routes[0]);
        return first?.reply ?? reply;
      }
      onSwitch(next);
      // The next model's reasoning does not continue this one's.
      if (thought) onReasoning?.("\n\n");
      thought = false;
    }
  };
}

/** An unknown model is the request's fault only for the requested model; an empty account never is. */
function mayBeCured({ error }: FailedReply, index: number): boolean {
  return (
    fallbackCodes.has(error.code) || error.lacks_credit === true || (error.code === "model_not_found" && index > 0)
  );
}
