import { expect, test } from "vitest";
import { createStatementNames } from "./postgres-pool.ts";

const uses = (names: ReturnType<typeof createStatementNames>, text: string, count: number) =>
  Array.from({ length: count }, () => names.nameOf(text));

test("a statement gets a name once it has come often enough, and keeps it", () => {
  const names = createStatementNames();
  expect(uses(names, "select 1", 4)).toEqual([undefined, undefined, "rehearsal_1", "rehearsal_1"]);
  expect(uses(names, "select 2", 3).at(-1)).toBe("rehearsal_2");
  expect(names.nameOf("select 1")).toBe("rehearsal_1");
});

test("ever new statements fill neither our memory nor the server's", () => {
  const names = createStatementNames();
  const given = new Set<string | undefined>();
  for (let index = 0; index < 5_000; index += 1) for (const name of uses(names, `select ${index}`, 5)) given.add(name);
  expect(given.size).toBe(101);
});

test("behind a pooler that loses them, nothing has a name any more", () => {
  const names = createStatementNames();
  uses(names, "select 1", 3);
  names.stop();
  expect(uses(names, "select 1", 5)).toEqual(Array.from({ length: 5 }, () => undefined));
});
