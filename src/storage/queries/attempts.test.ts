import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { sampleReply, sampleRun } from "../../../test/conformance/sample-runs.ts";
import { noDispatch } from "../dispatch.ts";
import { noCarriers } from "../run-carriers.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { toJsonText } from "../json-text.ts";
import type { Reader } from "../database.ts";
import { streamAttempts } from "./attempts.ts";
import { createRun } from "./create-run.ts";
import { scenariosOfRun } from "./run-scenarios.ts";

/** A reader that counts what it is asked, and takes its time if need be. */
function noting(reader: Reader, takesMs = 0): { reader: Reader; asked: () => number } {
  let asked = 0;
  const noted = reader.withPlugin({
    transformQuery({ node }) {
      asked += 1;
      return node;
    },
    async transformResult({ result }) {
      if (takesMs > 0) await setTimeout(takesMs);
      return result;
    },
  });
  return { reader: noted, asked: () => asked };
}

test("once a page has taken long, the rest of a run is read by another thread, and nothing of it twice", async () => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const run = sampleRun({ scenarios: 450 });
  await database.write((writer) => createRun(writer, run, { dispatch: noDispatch, carriers: noCarriers }));
  const [slow, other] = [noting(database.reader, 20), noting(database.reader)];
  const both = { reader: slow.reader, longReader: other.reader };

  expect((await scenariosOfRun(both, run.id)).map(({ id }) => id)).toEqual(run.scenarios.map(({ id }) => id));
  expect([slow.asked(), other.asked()]).toEqual([1, 2]);
  const attempts = await Array.fromAsync(streamAttempts(both, run.id));
  expect(attempts.map(({ scenario_index }) => scenario_index)).toEqual([...run.scenarios.keys()]);
  expect(slow.asked()).toBe(2);
  await database.close();
});

test("of attempts with long replies a few are read at a time", async () => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const run = sampleRun({ scenarios: 5 });
  await database.write((writer) => createRun(writer, run, { dispatch: noDispatch, carriers: noCarriers }));
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
  const noted = noting(database.reader);
  const attempts = await Array.fromAsync(streamAttempts({ reader: noted.reader }, run.id));
  expect(attempts.map(({ interactions }) => interactions.length)).toEqual([1, 1, 1, 1, 1]);
  // The page of attempts, and three times the turns of two of them at most.
  expect(noted.asked()).toBe(4);
  await database.close();
});
