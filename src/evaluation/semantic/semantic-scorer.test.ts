import { expect, test } from "vitest";
import type { Embedder } from "../../contract/embedder.ts";
import { Interaction, type Scenario } from "../../contract/scenario.ts";
import { cosine } from "./cosine.ts";
import { createSemanticScorer } from "./semantic-scorer.ts";

const signal = new AbortController().signal;

/** Vectors by the letters of a text, all with a common part: unrelated texts are somewhat alike, as with real embedders. */
const letters: Embedder & { texts: string[][] } = {
  id: "letters",
  texts: [],
  embed(texts) {
    this.texts.push([...texts]);
    const vectors = texts.map((text) => [
      2,
      ...Array.from({ length: 26 }, (_, index) => text.split(String.fromCharCode(97 + index)).length - 1),
    ]);
    return Promise.resolve({ ok: true, vectors });
  },
};

function suite(...references: string[]): Scenario[] {
  const interactions = references.map((reference_reply, index) =>
    Interaction.parse({ id: `${index}`, user_message: "", reference_reply, interaction_type: "opening" }),
  );
  return [{ id: "s", description: "", tags: [], interactions }];
}

test("without eight references the cosine is taken as it is", async () => {
  const score = createSemanticScorer({ embedder: letters, scenarios: suite("abc") });
  const { score: result, details } = await score({ reply: "ab", references: ["abc"] }, signal);
  const expected = cosine([2, 1, 1, 0], [2, 1, 1, 1]);
  expect(details).toMatchObject({ baseline: 0, embedder: "letters" });
  expect(result.value).toBeCloseTo(expected ?? -1, 12);
});

test("with eight references unrelated ones are the zero point, and each text is embedded alone", async () => {
  const references = ["a", "b", "c", "d", "e", "f", "g", "h"];
  letters.texts.length = 0;
  const score = createSemanticScorer({ embedder: letters, scenarios: suite(...references) });
  const same = await score({ reply: "a", references: ["a"] }, signal);
  const other = await score({ reply: "b", references: ["a"] }, signal);
  // Every mismatched pair has the cosine 4 / 5.
  expect(same.details?.baseline).toBeCloseTo(0.8, 12);
  expect(same.score.value).toBeCloseTo(1, 12);
  expect(other.score.value).toBeCloseTo(0, 12);
  expect(other.details?.cosine).toBeCloseTo(0.8, 12);
  expect(letters.texts.every((texts) => texts.length === 1)).toBe(true);
});

test("the best reference counts; empty sides need no embedder", async () => {
  const score = createSemanticScorer({ embedder: letters, scenarios: [] });
  expect((await score({ reply: "b", references: ["a", "b"] }, signal)).score.value).toBeCloseTo(1, 12);
  expect((await score({ reply: "", references: [""] }, signal)).score.value).toBe(1);
  expect((await score({ reply: " ", references: ["a"] }, signal)).score.value).toBe(0);
  expect((await score({ reply: "a", references: [""] }, signal)).score.value).toBe(0);
  expect((await score({ reply: "a", references: [] }, signal)).score.value).toBeNull();
});

test("an embedder that fails leaves the score missing, and says it failed", async () => {
  const broken: Embedder = {
    id: "broken",
    embed: () => Promise.resolve({ ok: false, error: { code: "upstream_error", detail: "", retryable: true } }),
  };
  const score = createSemanticScorer({ embedder: broken, scenarios: [] });
  expect(await score({ reply: "a", references: ["a"] }, signal)).toMatchObject({
    score: { value: null },
    failed: true,
  });
});

test("vectors of no length or of different sizes have no cosine", () => {
  expect(cosine([0, 0], [1, 0])).toBeNull();
  expect(cosine([1], [1, 0])).toBeNull();
  expect(cosine([], [])).toBeNull();
  expect(cosine([1, 0], [-1, 0])).toBe(-1);
});
