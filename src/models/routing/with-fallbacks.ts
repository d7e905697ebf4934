import type { ErrorCode } from "../../contract/errors.ts";
import type { ChatModel, Reply } from "../../contract/model.ts";
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

/**
 * One model out of several: each call goes to the one that answered last, at first the first; when it fails in a way
 * another may not, the next one is asked, until none is left. Text that was streamed cannot be taken back: then the
 * failure stands. `onSwitch` hears which model took over.
 */
export function withFallbacks(
  routes: readonly [RoutedModel, ...RoutedModel[]],
  onSwitch: (route: RoutedModel) => void,
): ChatModel {
  let current = 0;

  return async (request, { signal, onText }) => {
    let spoken = false;
    const options = {
      signal,
      ...(onText && {
        onText: (text: string) => {
          spoken ||= text !== "";
          onText(text);
        },
      }),
    };
    let reply: Reply;
    for (;;) {
      reply = await (routes[current] ?? routes[0]).model(request, options);
      const next = routes[current + 1];
      if (reply.ok || spoken || !next || !curable.has(reply.error.code)) return reply;
      current += 1;
      onSwitch(next);
    }
  };
}
