import { expect, test } from "vitest";
import { lexicalScores } from "../evaluation/scorers/built-in-scorers.ts";
import { defaultScorers } from "../evaluation/scorers/built-in-scorers.ts";
import { createScoringPool } from "./scoring-pool.ts";

const scorers = defaultScorers.filter((name) => name !== "metadata_match");
const words = (count: number, step: number): string =>
  Array.from({ length: count }, (_, index) => `word${(index * step) % 997}`).join(" ");

test("long texts give the same scores in a thread as here", async () => {
  const pool = createScoringPool({ threads: 2 });
  const questions = [3, 5, 7].map((step) => ({ reply: words(2_000, step), references: [words(2_000, 1)], scorers }));
  const threaded = await Promise.all(questions.map((question) => pool.score(question)));
  expect(threaded).toEqual(questions.map(lexicalScores));
  await pool.close();
});

test("the event loop goes on while long texts are compared; short ones need no thread", async () => {
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

test("whoever has many long texts waits for them alone", async () => {
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

test("texts under way when the pool closes are compared here, later ones by whoever asks", async () => {
  const pool = createScoringPool({ threads: 1 });
  const question = { reply: words(2_000, 3), references: [words(2_000, 1)], scorers };
  const underWay = pool.score(question);
  await pool.close();
  expect(await underWay).toEqual(lexicalScores(question));
  expect(pool.score(question)).toBeNull();
});

test("a question that breaks a thread fails by itself, and the next one is answered", async () => {
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
