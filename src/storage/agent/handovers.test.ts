import { expect, test } from "vitest";
import { openSqliteDatabase } from "../drivers/sqlite-database.ts";
import { createHandovers, tidyHandovers } from "./handovers.ts";

test("deletes the oldest hand-overs of an owner over the limit, and no others", async () => {
  const database = await openSqliteDatabase({ file: ":memory:" });
  let time = 0;
  const handovers = createHandovers({ database, now: () => (time += 1) });
  const state = "x".repeat(98);
  for (const key of ["b1", "b2", "b3"]) await handovers.put({ key, owner: "bob", runId: "r", state });
  await handovers.put({ key: "a1", owner: "ada", runId: "r", state });
  await handovers.put({ key: "n1", owner: null, runId: "r", state });
  const tidy = (most: number) => database.write((writer) => tidyHandovers(writer, { now: 0, most, perOwner: 100 }));
  expect([await tidy(1), await tidy(9), await tidy(9)]).toEqual([1, 1, 0]);
  expect([...(await handovers.get("bob", ["b1", "b2", "b3"])).keys()]).toEqual(["b3"]);
  expect((await handovers.get("ada", ["a1"])).size + (await handovers.get(null, ["n1"])).size).toBe(2);
  await database.close();
});
