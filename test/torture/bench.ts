import { randomUUIDv7 } from "node:crypto";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import type { RunRecord } from "../../src/contract/ports/store.ts";
import { createRuns } from "../../src/runs/create-runs.ts";
import type { RunServices } from "../../src/runs/run-services.ts";
import type { Runs } from "../../src/runs/runs.ts";
import { sampleReply } from "../../src/contract/testing/sample-reply.ts";
import { lastUserMessage } from "../support/fake-model.ts";
import type { OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";

/** A worker in this process whose model repeats each message and counts the calls. */
interface TortureBench extends AsyncDisposable {
  readonly runs: Runs;
  readonly errors: readonly unknown[];
  readonly calls: ReadonlyMap<string, number>;
  ended(id: string): Promise<RunRecord>;
}

export async function startTortureBench(
  storage: OpenedStorage,
  { reply = (turn) => turn, ...options }: { reply?: (turn: string) => string } & Partial<RunServices> = {},
): Promise<TortureBench> {
  const errors: unknown[] = [];
  const calls = new Map<string, number>();
  const model: ChatModel = async (request, { signal }) => {
    signal.throwIfAborted();
    const turn = lastUserMessage(request);
    calls.set(turn, (calls.get(turn) ?? 0) + 1);
    return sampleReply(reply(turn));
  };
  const runs = createRuns({
    store: storage.store,
    queue: storage.queue,
    createModel: () => model,
    isDemo: () => false,
    workerId: `bench:${process.pid}:${randomUUIDv7()}`,
    newId: randomUUIDv7,
    concurrency: { global: 4, perRun: 4 },
    heartbeatMs: 200,
    onError: (error) => errors.push(error),
    ...options,
  });
  await runs.start();
  return {
    runs,
    errors,
    calls,
    ended: (id) => runs.wait(id, AbortSignal.timeout(30_000)),
    [Symbol.asyncDispose]: () => runs.stop({ graceMs: 0 }),
  };
}
