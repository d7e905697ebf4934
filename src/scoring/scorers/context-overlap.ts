import { defineScorer } from "./define-scorer.ts";
import { prepareText } from "../text/prepare-text.ts";
import type { GivenScore, ScorerInput } from "./scorer.ts";

const name = "context_overlap";

/** Shorter words are in nearly every text. */
const shortestWord = 4;

/**
 * The share of the reply's words, of at least four characters, that a retrieved passage has. Words of the user's message do not count:
 * a reply repeats them without any passage. Says how close a reply is to its passages, not whether it is right.
 */
export const contextOverlap = defineScorer({
  name,
  label: "context overlap",
  help: "words of the reply that a passage has",
  byDefault: true,
  needs: ["context"],
  similarity: true,
  ofTurn: true,
  score: (input) => score(input),
});

function score({ reply, turn }: ScorerInput): GivenScore[] {
  const passages = turn?.context ?? [];
  if (!turn || passages.length === 0) return [];
  const asked = prepareText(`${turn.user_message} ${turn.prompt}`).counts;
  const words = [...new Set(reply.tokens)].filter((word) => [...word].length >= shortestWord && !asked.has(word));
  if (words.length === 0) return [{ name, value: null, reason: "the reply has no word of its own" }];
  const counts = passages.map(({ text }) => prepareText(text).counts);
  const found = words.filter((word) => counts.some((each) => each.has(word)));
  const best = counts.map((each, index) => ({ index, shared: words.filter((word) => each.has(word)).length }));
  const [first] = best.toSorted((left, right) => right.shared - left.shared);
  const from = first && first.shared > 0 ? `; most in ${nameOf(passages, first.index)}` : "";
  return [
    {
      name,
      value: found.length / words.length,
      reason: `${found.length} of ${words.length} words are in the passages${from}`,
    },
  ];
}

function nameOf(passages: NonNullable<NonNullable<ScorerInput["turn"]>["context"]>, index: number): string {
  const { source, id } = passages[index] ?? {};
  const title = source ?? id;
  return title === undefined ? `passage ${index + 1}` : `passage ${index + 1} (${title.slice(0, 80).toWellFormed()})`;
}
