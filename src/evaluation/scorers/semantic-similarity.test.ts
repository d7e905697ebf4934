import { expect, test } from "vitest";
import type { Embedder } from "../../contract/ports/embedder.ts";
import { Interaction, type Scenario } from "../../contract/schemas/scenario.ts";
import { cosine, createSemanticScorer } from "./semantic-similarity.ts";

const signal = new AbortController().signal;

/** Vectors by letter counts with a common component: unrelated texts are somewhat similar, as with real embedders. */
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

test("uses the plain cosine with fewer than eight references", async () => {
  const score = createSemanticScorer({ embedder: letters, scenarios: suite("abc") });
  const { score: result, details } = await score({ reply: "ab", references: ["abc"] }, signal);
  const expected = cosine([2, 1, 1, 0], [2, 1, 1, 1]);
  expect(details).toMatchObject({ baseline: 0, embedder: "letters" });
  expect(result.value).toBeCloseTo(expected ?? -1, 12);
});

test("with eight references, unrelated ones are the zero point, and each text is embedded alone", async () => {
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

const numbered = (count: number, start: string) => Array.from({ length: count }, (_, index) => `${start}${index}`);

/** Answers asynchronously, and counts how often each text was embedded. */
function slowEmbedder() {
  const counts = new Map<string, number>();
  const embedder: Embedder = {
    id: "slow",
    async embed([text = ""], { signal: asked }) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      asked.throwIfAborted();
      return { ok: true, vectors: [[1, text.length]] };
    },
  };
  return { embedder, counts };
}

test("concurrent replies share one measurement of the baseline", async () => {
  const references = numbered(10, "reference ");
  const { embedder, counts } = slowEmbedder();
  const score = createSemanticScorer({ embedder, scenarios: suite(...references) });
  await Promise.all(references.map((reference) => score({ reply: "x", references: [reference] }, signal)));
  expect(references.map((reference) => counts.get(reference))).toEqual(references.map(() => 1));
});

test("aborting one reply does not cost the others the baseline", async () => {
  const { embedder } = slowEmbedder();
  const score = createSemanticScorer({ embedder, scenarios: suite(...numbered(8, "reference ")) });
  const cancel = new AbortController();
  const first = score({ reply: "x", references: ["reference 1"] }, cancel.signal);
  const second = score({ reply: "y", references: ["reference 1"] }, signal);
  cancel.abort();
  await expect(first).rejects.toThrow("aborted");
  expect((await second).score.value).not.toBeNull();
});

test("embeds references once, regardless of the number of replies", async () => {
  const { embedder, counts } = slowEmbedder();
  const score = createSemanticScorer({ embedder, scenarios: [] });
  await score({ reply: "x", references: ["kept"] }, signal);
  await Promise.all(numbered(2_100, "reply ").map((reply) => score({ reply, references: ["kept"] }, signal)));
  await score({ reply: "x", references: ["later"] }, signal);
  await score({ reply: "x", references: ["kept", "later"] }, signal);
  expect([counts.get("kept"), counts.get("later")]).toEqual([1, 1]);
});

test("counts the best reference; empty sides need no embedder", async () => {
  const score = createSemanticScorer({ embedder: letters, scenarios: [] });
  expect((await score({ reply: "b", references: ["a", "b"] }, signal)).score.value).toBeCloseTo(1, 12);
  expect((await score({ reply: "", references: [""] }, signal)).score.value).toBe(1);
  expect((await score({ reply: " ", references: ["a"] }, signal)).score.value).toBe(0);
  expect((await score({ reply: "a", references: [""] }, signal)).score.value).toBe(0);
  expect((await score({ reply: "a", references: [] }, signal)).score.value).toBeNull();
});

test("a failing embedder leaves the score missing, with the reason", async () => {
  const error = { code: "upstream_auth", detail: "HTTP 401: set EMBEDDINGS_API_KEY.", retryable: false } as const;
  const broken: Embedder = { id: "broken", embed: () => Promise.resolve({ ok: false, error }) };
  const score = createSemanticScorer({ embedder: broken, scenarios: [] });
  expect(await score({ reply: "a", references: ["a"] }, signal)).toMatchObject({
    score: {
      value: null,
      reason: "the embedder failed: upstream_auth: HTTP 401: set EMBEDDINGS_API_KEY.",
      failed: true,
    },
  });
});

test("zero vectors and vectors of different sizes have no cosine", () => {
  expect(cosine([0, 0], [1, 0])).toBeNull();
  expect(cosine([1], [1, 0])).toBeNull();
  expect(cosine([], [])).toBeNull();
  expect(cosine([1, 0], [-1, 0])).toBe(-1);
});
