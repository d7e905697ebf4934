import { randomUUID } from "node:crypto";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { thisHost } from "../../src/storage/tables/host.ts";
import { sampleReply, sampleScores } from "./sample-runs.ts";

/**
 * A process that works on whatever the database file has for it until it is killed. Each line it prints,
 * `<attempt> <turn>`, is a turn the store has acknowledged. It ends by itself when nothing is left to do.
 */
const [file = "", turns = "1"] = process.argv.slice(2);
const { store, queue, close } = await openSqlite({ file });
const worker = `${thisHost()}:${process.pid}:${randomUUID()}`;
await queue.recover();
process.stdout.write("ready\n");

async function work(): Promise<void> {
  for (;;) {
    const [claimed] = await queue.claim({ worker, limit: 1, perRun: 1_000 });
    if (!claimed) return;
    const { lease } = claimed;
    const stored = await store.interactions.ofAttempt(lease.attempt_id);
    for (let turn = stored.length; turn < Number(turns); turn += 1) {
      const kept = await store.interactions.store(lease, {
        turn_index: turn,
        reply: sampleReply({ agent_reply: worker }),
        scores: sampleScores(),
      });
      if (kept) process.stdout.write(`${lease.attempt_id} ${turn}\n`);
    }
    await queue.finish(lease, { average_scores: { success: 1 } });
  }
}

await Promise.all(Array.from({ length: 8 }, work));
await close();
