import type { Outbound } from "../../models/outbound/outbound.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";

/** Sends JSON somewhere and gives the answer's text; a `CliError` says why it was not taken. */
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
    throw new CliError(`${url} did not take the results: ${answer.error.detail}`, exitCodes.targetUnusable);
  };
}
