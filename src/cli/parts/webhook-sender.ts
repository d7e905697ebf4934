import type { Logger } from "pino";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { SendWebhook } from "../../runs/webhooks/deliver-webhooks.ts";

/** Sends webhooks, each once: whoever asks tries again. An address may hold a token, so the log names its origin alone. */
export function webhookSender(outbound: Outbound, log: Logger): SendWebhook {
  return async ({ url, headers, body, signal }) => {
    const answer = await outbound.request({ url, method: "POST", headers: { ...headers }, body, signal, retries: 0 });
    if (answer.ok) return true;
    const { code, detail } = answer.error;
    log.warn({ origin: new URL(url).origin, code, detail }, "a webhook was not accepted and is sent again later");
    return false;
  };
}
