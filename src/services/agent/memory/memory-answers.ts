import type { AgentAnswers, AnswerKey, StoredAnswer } from "../../../contract/agent-answers.ts";
import { ExpiringMap } from "./expiring-map.ts";

/** The answers of a day, for as long as the process lives. */
export function createMemoryAnswers({
  ttlMs = 24 * 60 * 60_000,
  maxAnswers = 10_000,
  maxCharacters = 32 * 1024 * 1024,
  now = Date.now,
}: { ttlMs?: number; maxAnswers?: number; maxCharacters?: number; now?: () => number } = {}): AgentAnswers {
  const entries = new ExpiringMap<{ hash: string; answer: StoredAnswer | null }>({
    ttlMs,
    maxEntries: maxAnswers,
    maxSize: maxCharacters,
    sizeOf: ({ answer }) => 1000 + (answer?.reply.content.length ?? 0),
    now,
  });
  const nameOf = ({ owner, key }: AnswerKey) => JSON.stringify([owner, key]);

  return {
    async claim(key) {
      const known = entries.get(nameOf(key));
      if (known && known.hash !== key.hash) return { outcome: "mismatch" };
      if (known?.answer) return { outcome: "answered", answer: known.answer };
      if (known) return { outcome: "running" };
      entries.set(nameOf(key), { hash: key.hash, answer: null });
      return { outcome: "claimed" };
    },
    async complete(key, answer) {
      entries.set(nameOf(key), { hash: key.hash, answer });
    },
    async release(key) {
      if (entries.get(nameOf(key))?.answer === null) entries.delete(nameOf(key));
    },
  };
}
