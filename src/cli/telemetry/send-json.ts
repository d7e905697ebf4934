import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";

/** Why what was sent was not taken. */
export class NotTaken extends CliError {
  /** The same may be taken later. */
  readonly retryable: boolean;

  constructor(url: string, { detail, retryable }: Pick<ReplyError, "detail" | "retryable">) {
    // Without its query, which may hold a key.
    super(`${url.replace(/\?.*/s, "")} did not take the results: ${detail}`, exitCodes.targetUnusable);
    this.retryable = retryable;
  }
}

/** Sends JSON somewhere and gives the answer's text; a `NotTaken` says why there is none. */
export type SendJson = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}) => Promise<string>;

/** Over the outbound client: no redirects, no forbidden addresses, retries with a budget. */
export function jsonSender(outbound: Outbound, signal: AbortSignal): SendJson {
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
    throw new NotTaken(url, answer.error);
  };
}
