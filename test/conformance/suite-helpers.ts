import type { ClaimedAttempt } from "../../src/contract/ports/queue.ts";
import type { NewRun } from "../../src/contract/ports/store.ts";
import { sampleReply, sampleScores, sampleSummary } from "./sample-runs.ts";
import type { StorageUnderTest } from "./storage-under-test.ts";

export const storedTurn = (index: number) => ({ turn_index: index, reply: sampleReply(), scores: sampleScores() });

export const ending = (fields: Partial<Parameters<StorageUnderTest["store"]["runs"]["finish"]>[1]> = {}) => ({
  state: "completed" as const,
  message: "Evaluation completed",
  summary: sampleSummary,
  at: 1_700_000_001_000,
  ...fields,
});

export const claim = ({ queue }: StorageUnderTest, { worker = "w", limit = 100, busy = false } = {}) =>
  queue.claim({ worker, limit, perRun: 1_000, busy });

export async function created(storage: StorageUnderTest, run: NewRun): Promise<ClaimedAttempt> {
  await storage.store.runs.create(run);
  const [claimed] = await claim(storage, { limit: 1 });
  return claimed!;
}

export async function progressOf({ store }: StorageUnderTest) {
  return (await store.runs.list({ limit: 1 })).runs[0]?.progress;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
