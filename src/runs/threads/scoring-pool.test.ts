import { expect, test } from "vitest";
import { defaultScorers, lexicalScores } from "../../scoring/scorers/scores.ts";
import { createScoringPool } from "./scoring-pool.ts";

const scorers = defaultScorers.filter((name) => name !== "metadata_match");
const words = (count: number, step: number): string =>
  Array.from({ length: count }, (_, index) => `word${(index * step) % 997}`).join(" ");

test("computes the same scores in a thread", async () => {
  const pool = createScoringPool({ threads: 2 });
  const questions = [3, 5, 7].map((step) => ({ reply: words(2_000, step), references: [words(2_000, 1)], scorers }));
  const threaded = await Promise.all(questions.map((question) => pool.score(question)));
  expect(threaded).toEqual(questions.map(lexicalScores));
  await pool.close();
});

test("keeps the event loop free for long texts, and uses no thread for short ones", async () => {
  const pool = createScoringPool({ threads: 1 });
  const question = { reply: words(5_000, 3), references: [words(5_000, 1)], scorers };
  let done = false;
  let turns = 0;
  const scored = Promise.resolve(pool.score(question)).then(() => (done = true));
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  await scored;
  expect(turns).toBeGreaterThan(5);
  expect(pool.score({ reply: "a", references: ["a"], scorers })).toBeNull();
  await pool.close();
});

test("serves owners round-robin", async () => {
  const pool = createScoringPool({ threads: 1 });
  const question = { reply: words(2_000, 3), references: [words(2_000, 1)], scorers };
  const order: string[] = [];
  const asked = ["much", "much", "much", "much", "little"].map(async (owner) => {
    await pool.score(question, owner);
    order.push(owner);
  });
  await Promise.all(asked);
  expect(order).toEqual(["much", "much", "little", "much", "much"]);
  await pool.close();
});

test("compares pending texts itself on close, and leaves later ones to the caller", async () => {
  const pool = createScoringPool({ threads: 1 });
  const question = { reply: words(2_000, 3), references: [words(2_000, 1)], scorers };
  const underWay = pool.score(question);
  await pool.close();
  expect(await underWay).toEqual(lexicalScores(question));
  expect(pool.score(question)).toBeNull();
});

test("rejects only the question that breaks a thread", async () => {
  const pool = createScoringPool({ threads: 1 });
  const question = { reply: words(2_000, 3), references: [words(2_000, 1)], scorers };
  const bad = { ...question, scorers: ["no such scorer"] as unknown as typeof scorers };
  const [broken, waiting] = await Promise.allSettled([pool.score(bad), pool.score(question)]);
  expect(broken).toMatchObject({ status: "rejected", reason: { name: "TypeError" } });
  expect(waiting).toEqual({ status: "fulfilled", value: lexicalScores(question) });
  const underWay = Promise.allSettled([pool.score(bad), pool.score(bad)]);
  await pool.close();
  expect((await underWay).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
