import { expect, test } from "vitest";
import { prepareText } from "../text/prepare-text.ts";
import { bleu, gleu, rouge1 } from "./ngram-overlap.ts";
import type { Scorer } from "./scorer.ts";

function score(scorer: Scorer, reply: string, ...references: string[]): number | null | undefined {
  const [first] = scorer({
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  });
  return first?.value;
}

// By NLTK 3.9 (sentence_bleu, sentence_gleu, on words in lower case) and rouge-score 0.1.2 (rouge1, F measure).
test.each([
  ["The cat sat on the mat", "The cat sat on the mat today", 0.846482, 0.818182, 0.923077],
  [
    "the quick brown fox jumps over the lazy dog",
    "the fast brown fox leaps over the lazy dog",
    0.368894,
    0.466667,
    0.777778,
  ],
  ["Paris", "Paris is the capital", 0.049787, 0.1, 0.4],
])("measures %j against %j as the reference implementations do", (reply, reference, ofBleu, ofGleu, ofRouge) => {
  expect(score(bleu.score, reply, reference)).toBeCloseTo(ofBleu, 5);
  expect(score(gleu.score, reply, reference)).toBeCloseTo(ofGleu, 5);
  expect(score(rouge1.score, reply, reference)).toBeCloseTo(ofRouge, 5);
});

test("counts the best reference, and nothing in common as almost 0", () => {
  expect(score(bleu.score, "It opens at seven", "no", "It opens at seven")).toBeCloseTo(1, 9);
  expect(score(bleu.score, "It opens at seven", "No word here matches")).toBeLessThan(1e-6);
  expect([score(gleu.score, "a b", "c d"), score(rouge1.score, "a b", "c d"), score(bleu.score, "", "a")]).toEqual([
    0, 0, 0,
  ]);
});
