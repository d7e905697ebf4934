import type { Logger } from "pino";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { SendWebhook, WebhookRequest } from "../../runs/webhooks/deliver-webhooks.ts";

type Refusal = Pick<ReplyError, "code" | "detail">;

/** Sends webhooks, each once: whoever asks tries again. An address may hold a token, so the log names its origin alone. */
export function webhookSender(outbound: Outbound, log: Logger): SendWebhook {
  async function send({ url, headers, body, signal }: WebhookRequest): Promise<Refusal | null> {
    try {
      const answer = await outbound.request({ url, method: "POST", headers: { ...headers }, body, signal, retries: 0 });
      return answer.ok ? null : answer.error;
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "TimeoutError")) throw error;
      return { code: "upstream_timeout", detail: "It did not answer in time." };
    }
  }

  return async (request) => {
    const refusal = await send(request);
    if (!refusal) return true;
    const { code, detail } = refusal;
    const { origin } = new URL(request.url);
    log.warn({ origin, code, detail }, "a webhook was not accepted and is sent again later");
    return false;
  };
}
