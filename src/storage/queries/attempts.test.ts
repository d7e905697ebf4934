import { expect, test } from "vitest";
import { sampleRun } from "../../../test/conformance/sample-runs.ts";
import { noDispatch } from "../dispatch.ts";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import type { Reader } from "../database.ts";
import { streamAttempts } from "./attempts.ts";
import { createRun } from "./create-run.ts";
import { scenariosOfRun } from "./run-scenarios.ts";

/** A reader that says when it is asked: the other thread would have been started then. */
function noting(reader: Reader): { reader: Reader; asked: () => number } {
  let asked = 0;
  const noted = reader.withPlugin({
    transformQuery({ node }) {
      asked += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { reader: noted, asked: () => asked };
}

test.each([
  [1_000, false],
  [2_500, true],
])("a run of %i is read by another thread: %s", async (scenarios, elsewhere) => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const run = sampleRun({ scenarios });
  await database.write((writer) => createRun(writer, run, { dispatch: noDispatch }));
  const { reader: longReader, asked } = noting(database.reader);
  const both = { reader: database.reader, longReader };

  expect(await scenariosOfRun(both, run.id)).toHaveLength(scenarios);
  expect(asked() > 0).toBe(elsewhere);
  const before = asked();
  expect(await Array.fromAsync(streamAttempts(both, run.id))).toHaveLength(scenarios);
  expect(asked() > before).toBe(elsewhere);
  await database.close();
});
