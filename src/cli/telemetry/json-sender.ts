import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";

/** The receiver did not accept what was sent. */
export class DeliveryError extends CliError {
  /** True when sending it again later may succeed. */
  readonly retryable: boolean;

  constructor(url: string, { detail, retryable }: Pick<ReplyError, "detail" | "retryable">) {
    // The query may hold a key.
    super(`${url.replace(/\?.*/s, "")} did not accept the results: ${detail}`, exitCodes.targetUnusable);
    this.retryable = retryable;
  }
}

/** Sends JSON and returns the response text; throws a `DeliveryError` when it was not accepted. */
export type SendJson = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}) => Promise<string>;

/** Sends through the outbound client: no redirects, no forbidden addresses, a retry budget. */
export function createJsonSender(outbound: Outbound, signal: AbortSignal): SendJson {
  return async ({ url, headers, body }) => {
    const answer = await outbound.request({
      url,
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      policy: "local",
      signal,
    });
    if (answer.ok) return answer.body;
    throw new DeliveryError(url, answer.error);
  };
}
