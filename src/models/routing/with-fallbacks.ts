import type { ErrorCode } from "../../contract/errors.ts";
import type { ChatModel, FailedReply } from "../../contract/ports/chat-model.ts";
import type { RoutedModel } from "./choose-provider.ts";

/**
 * Failures that are nobody's request's fault, so that another model may do better. A request that is too long, names an
 * unknown model or is rejected for what it says is answered as it is.
 */
const curable: ReadonlySet<ErrorCode> = new Set([
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

/** A model that failed without anybody being told: another one's reply, or failure, stands for the call. */
export interface PassedOver {
  readonly route: RoutedModel;
  readonly reply: FailedReply;
}

/** Whoever wants us to wait longer is passed over while there is another one to ask. */
const longestDetourMs = 2000;

/**
 * One model out of several: each call goes to the one that answered last, at first the first; when it fails in a way
 * another may not, the next one is asked, until none is left. A fallback that its provider does not know is passed over.
 * When none answers, the first failure stands: it is the one of the model that was asked for. Text that was streamed
 * cannot be taken back: then the failure that cut it off stands; what was only thought does not matter. `onSwitch` hears which model took over,
 * `onPassedOver` of those that failed on the way, once the call has ended.
 */
export function withFallbacks(
  routes: readonly [RoutedModel, ...RoutedModel[]],
  onSwitch: (route: RoutedModel) => void,
  onPassedOver: (passedOver: PassedOver) => void = () => {},
): ChatModel {
  let answered = 0;

  return async (request, { onText, onReasoning, longestWaitMs = Number.POSITIVE_INFINITY, ...rest }) => {
    let [spoken, thought] = [false, false];
    const options = {
      ...rest,
      longestWaitMs,
      ...(onReasoning && {
        onReasoning: (text: string) => {
          thought = true;
          onReasoning(text);
        },
      }),
      ...(onText && {
        onText: (text: string) => {
          spoken ||= text !== "";
          onText(text);
        },
      }),
    };
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
      // What the next one thinks does not go on from there.
      if (thought) onReasoning?.("\n\n");
      thought = false;
    }
  };
}

/** An unknown model is the request's fault only when it is the one that was asked for, and an empty account never is. */
function mayBeCured({ error }: FailedReply, index: number): boolean {
  return curable.has(error.code) || error.lacks_credit === true || (error.code === "model_not_found" && index > 0);
}
