import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedAttempt } from "../../src/contract/ports/queue.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { sampleReply, sampleScores } from "./sample-runs.ts";

/**
 * A worker on a host of its own, as far as the others can tell. It prints `claimed <attempt>`, `stored <attempt> <turn>`
 * and `refused <attempt> <turn>` as it goes, `lost <attempt>` when it was cut off, works until SIGTERM and takes `pace` milliseconds for a turn.
 */
const [url = "", host = "", turns = "1", pace = "0"] = process.argv.slice(2);
const { store, queue, close } = await openPostgres({ url, host, connections: 6 });
const worker = `${host}:${process.pid}:${randomUUID()}`;
const held = new Map<string, ClaimedAttempt>();
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function execute({ lease }: ClaimedAttempt): Promise<void> {
  const stored = await store.interactions.ofAttempt(lease.attempt_id);
  for (let turn = stored.length; turn < Number(turns); turn += 1) {
    await sleep(Number(pace));
    const reply = sampleReply({ agent_reply: worker });
    const kept = await store.interactions.store(lease, { turn_index: turn, reply, scores: sampleScores() });
    say(`${kept ? "stored" : "refused"} ${lease.attempt_id} ${turn}`);
    if (!kept) return;
  }
  await queue.finish(lease, { average_scores: { success: 1 } });
}

async function work(): Promise<void> {
  while (!stopping.signal.aborted) {
    const [claimed] = await queue.claim({ worker, limit: 1, perRun: 1_000 });
    if (!claimed) await sleep(100);
    else {
      say(`claimed ${claimed.lease.attempt_id}`);
      held.set(claimed.lease.attempt_id, claimed);
      // Work lost with a connection is repeated by the next worker that gets the attempt.
      await execute(claimed)
        .catch(() => say(`lost ${claimed.lease.attempt_id}`))
        .finally(() => held.delete(claimed.lease.attempt_id));
    }
  }
}

const beat = setInterval(() => {
  const leases = [...held.values()].map((claimed) => claimed.lease);
  void queue.heartbeat(worker, leases).catch(() => {});
}, 2_000);
await Promise.all(Array.from({ length: 4 }, work));
clearInterval(beat);
await close();
