import type { ReplyError } from "./model.ts";

/** Whether a provider refused a call because the account is empty: a 402, or the 429 that OpenAI and Kimi have for it. It says nothing of the request. */
export function lacksCredit({ code, upstream_status }: Pick<ReplyError, "code" | "upstream_status">): boolean {
  return code === "upstream_rejected" && (upstream_status === 402 || upstream_status === 429);
}
