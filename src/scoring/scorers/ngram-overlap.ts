import { countWords, overlapF1, sharedWords } from "../text/prepare-text.ts";
import { defineScorer } from "./define-scorer.ts";

/** ROUGE-1 (Lin 2004): F1 of the words in common, each counted as often as both texts have it. */
export const rouge1 = defineScorer({
  name: "rouge_1",
  label: "ROUGE-1",
  help: "shared words",
  needs: ["reference"],
  metric: true,
  compare: ({ reply, reference }) => {
    const common = sharedWords(reply.counts, reference.counts);
    return {
      value: overlapF1(common, reply.tokens.length, reference.tokens.length),
      reason: `${common} of ${reference.tokens.length} reference words among ${reply.tokens.length}`,
    };
  },
});

const orders = [1, 2, 3, 4];
/** Stands for a precision of 0, whose logarithm has no value. */
const smallest = 1e-7;

/**
 * BLEU (Papineni et al. 2002) of words separated by white space, in lower case: the geometric mean of the precisions of 1 to 4
 * words in a row, times the brevity penalty. Orders longer than the reply are left out.
 */
export const bleu = defineScorer({
  name: "bleu",
  label: "BLEU",
  help: "shared phrases, with a penalty for short replies",
  needs: ["reference"],
  metric: true,
  compare: ({ reply, reference }) => {
    const given = words(reply.raw);
    const wanted = words(reference.raw);
    if (given.length === 0) return { value: wanted.length === 0 ? 1 : 0, reason: "the reply is empty" };
    const precisions = orders
      .filter((n) => n <= given.length)
      .map((n) => sharedWords(countWords(ngrams(given, n)), countWords(ngrams(wanted, n))) / (given.length - n + 1));
    const logarithms = precisions.map((precision) => Math.log(precision || smallest));
    const mean = Math.exp(logarithms.reduce((sum, value) => sum + value, 0) / precisions.length);
    const brevity = given.length > wanted.length ? 1 : Math.exp(1 - wanted.length / given.length);
    const shown = precisions.map((precision) => precision.toFixed(2)).join(", ");
    return { value: Math.min(1, brevity * mean), reason: `precisions ${shown}, brevity penalty ${brevity.toFixed(2)}` };
  },
});

/**
 * GLEU (Wu et al. 2016) of words separated by white space, in lower case and without full stops: the smaller of precision and
 * recall of all sequences of 1 to 4 words.
 */
export const gleu = defineScorer({
  name: "gleu",
  label: "GLEU",
  help: "shared phrases",
  needs: ["reference"],
  metric: true,
  compare: ({ reply, reference }) => {
    const given = words(reply.raw).map(withoutStops);
    const wanted = words(reference.raw).map(withoutStops);
    const [left, right] = [given, wanted].map((list) => orders.flatMap((n) => ngrams(list, n))) as [string[], string[]];
    if (left.length === 0 || right.length === 0)
      return { value: left.length === right.length ? 1 : 0, reason: "one of the texts is empty" };
    const common = sharedWords(countWords(left), countWords(right));
    return {
      value: Math.min(common / left.length, common / right.length),
      reason: `${common} sequences in common of ${left.length} and ${right.length}`,
    };
  },
});

const words = (text: string): string[] => text.toLowerCase().split(/\s+/u).filter(Boolean);

const withoutStops = (word: string): string => word.replace(/(?<!\.)\.+$/u, "");

function ngrams(list: readonly string[], n: number): string[] {
  return Array.from({ length: Math.max(0, list.length - n + 1) }, (_, index) => list.slice(index, index + n).join(" "));
}
