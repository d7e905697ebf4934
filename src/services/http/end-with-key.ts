import type { ServerResponse } from "node:http";

interface EndWithKeyOptions {
  /** Whether the key with this hash may still be used. A rejection means that nobody knows just now. */
  readonly isUsable: (sha256: string) => Promise<boolean>;
  readonly everyMs?: number;
}

/**
 * Cuts answers whose key ended while they were being written: a stream that was opened in time must not outlive the key.
 * One timer looks after all of them, and only while there are any.
 */
export function createEndWithKey({
  isUsable,
  everyMs = 2000,
}: EndWithKeyOptions): (outgoing: ServerResponse, sha256: string) => void {
  const open = new Map<ServerResponse, string>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const ended = new Set<string>();
    for (const sha256 of new Set(open.values())) if (!(await isUsable(sha256))) ended.add(sha256);
    for (const [outgoing, sha256] of open) if (ended.has(sha256)) outgoing.destroy();
  }

  return (outgoing, sha256) => {
    open.set(outgoing, sha256);
    timer ??= setInterval(() => void look().catch(() => {}), everyMs).unref();
    outgoing.once("close", () => {
      open.delete(outgoing);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };
}
