import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { sampleReply, sampleRun } from "../../../test/conformance/sample-runs.ts";
import { noDispatch, type Reader } from "../tables/database.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { toJsonText } from "../tables/text-columns.ts";
import { noCarriers } from "./run-holds.ts";
import { streamAttempts } from "./attempts.ts";
import { storeRun } from "./create-run.ts";
import { scenariosOfRun } from "./runs.ts";

/** A reader that counts its queries and can be slow. */
function countingReader(reader: Reader, delayMs = 0): { reader: Reader; queries: () => number } {
  let queries = 0;
  const counting = reader.withPlugin({
    transformQuery({ node }) {
      queries += 1;
      return node;
    },
    async transformResult({ result }) {
      if (delayMs > 0) await setTimeout(delayMs);
      return result;
    },
  });
  return { reader: counting, queries: () => queries };
}

test("reads the rest of a run in the reader's thread after a slow page, without repeats", async () => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const run = sampleRun({ scenarios: 450 });
  await database.write((writer) => storeRun(writer, run, { dispatch: noDispatch, carriers: noCarriers }));
  const [slow, other] = [countingReader(database.reader, 20), countingReader(database.reader)];
  const both = { reader: slow.reader, longReader: other.reader };

  expect((await scenariosOfRun(both, run.id)).map(({ id }) => id)).toEqual(run.scenarios.map(({ id }) => id));
  expect([slow.queries(), other.queries()]).toEqual([1, 2]);
  const attempts = await Array.fromAsync(streamAttempts(both, run.id));
  expect(attempts.map(({ scenario_index }) => scenario_index)).toEqual([...run.scenarios.keys()]);
  expect(slow.queries()).toBe(2);
  await database.close();
});

test("reads few attempts at a time when their replies are long", async () => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const run = sampleRun({ scenarios: 5 });
  await database.write((writer) => storeRun(writer, run, { dispatch: noDispatch, carriers: noCarriers }));
  const reply = toJsonText(sampleReply({ agent_reply: "long ".repeat(400_000) }));
  const planned = await Array.fromAsync(streamAttempts(database, run.id));
  await database.write(async (writer) => {
    for (const [seq, { id }] of planned.entries()) {
      const turn = {
        attempt_id: id,
        turn_index: 0,
        run_id: run.id,
        seq,
        reply,
        scores: null,
        failed: 0,
        finished_at: 0,
      };
      await writer.insertInto("interaction").values(turn).execute();
    }
  });
  const counting = countingReader(database.reader);
  const attempts = await Array.fromAsync(streamAttempts({ reader: counting.reader }, run.id));
  expect(attempts.map(({ interactions }) => interactions.length)).toEqual([1, 1, 1, 1, 1]);
  // One page of attempts, and three reads of the turns of at most two of them.
  expect(counting.queries()).toBe(4);
  await database.close();
});
