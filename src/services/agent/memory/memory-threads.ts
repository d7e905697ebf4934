import type { AgentThread, AgentThreads, ThreadKey } from "../../../contract/agent-thread.ts";
import { ExpiringMap } from "./expiring-map.ts";

/** The last threads used, for as long as the process lives. */
export function createMemoryThreads({
  ttlMs = 7 * 24 * 60 * 60_000,
  maxThreads = 1000,
  maxCharacters = 32 * 1024 * 1024,
  now = Date.now,
}: { ttlMs?: number; maxThreads?: number; maxCharacters?: number; now?: () => number } = {}): AgentThreads {
  const threads = new ExpiringMap<AgentThread>({
    ttlMs,
    maxEntries: maxThreads,
    maxSize: maxCharacters,
    sizeOf: ({ messages }) => messages.reduce((sum, { content }) => sum + content.length + 100, 1000),
    now,
  });
  const keyOf = ({ owner, id }: ThreadKey) => JSON.stringify([owner, id]);

  return {
    get: async (key) => threads.get(keyOf(key)) ?? null,
    async append(key, messages) {
      const known = threads.get(keyOf(key));
      threads.set(keyOf(key), {
        id: key.id,
        messages: [...(known?.messages ?? []), ...messages],
        created_at: known?.created_at ?? now(),
        updated_at: now(),
      });
    },
    remove: async (key) => threads.delete(keyOf(key)),
  };
}
