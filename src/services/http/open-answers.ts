import type { ServerResponse } from "node:http";
import { ServiceError } from "../../contract/errors.ts";

const retryAfterMs = 2000;

/**
 * Counts the answers under way for each key, streams and waits included, and refuses more than so many: one key must not take
 * every connection there is. 0: any number.
 */
export function createOpenAnswers(most: number): (outgoing: ServerResponse, key: string) => void {
  const open = new Map<string, number>();

  function close(key: string): void {
    const left = (open.get(key) ?? 1) - 1;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  }

  return (outgoing, key) => {
    const count = (open.get(key) ?? 0) + 1;
    if (most > 0 && count > most) {
      const detail = `${most} requests of this key are being answered already, as many as may be at once.`;
      throw new ServiceError("rate_limited", detail, {
        retryAfterMs,
        hint: "End streams nobody reads, wait for other answers, or raise REHEARSAL_HTTP_MAX_REQUESTS_PER_KEY.",
      });
    }
    open.set(key, count);
    outgoing.once("close", () => close(key));
  };
}
