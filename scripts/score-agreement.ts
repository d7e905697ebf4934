import { readFileSync } from "node:fs";
import { lexicalScores } from "../src/scoring/scorers/scores.ts";
import { correlation } from "../src/evaluation/statistics/descriptive.ts";

/**
 * How far scores agree with people, for the table in docs/scoring.md:
 *
 *     node scripts/score-agreement.ts rated.jsonl
 *
 * Each line is {"set", "context", "reply", "references", "rating"}. Prints Spearman's correlation of each score with the ratings,
 * with the length of the reply, and with the ratings beyond length (partial correlation).
 */
interface Rated {
  readonly set: string;
  readonly reply: string;
  readonly references: readonly string[];
  readonly rating: number;
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Name a file with rated replies, one JSON object per line.");
const rated = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line): Rated => JSON.parse(line));

for (const [set, rows = []] of Object.entries(Object.groupBy(rated, (row) => row.set))) {
  const ratings = rows.map(({ rating }) => rating);
  const lengths = rows.map(({ reply }) => reply.length);
  const columns: Record<string, number[]> = { length: lengths };
  for (const { reply, references } of rows) {
    const scorers = ["exact_match", "token_f1", "rouge_l", "edit_similarity", "chrf", "word_recall"] as const;
    const scores = new Map(
      lexicalScores({ reply, references, scorers }).map(({ name, value }) => [name as string, value ?? 0]),
    );
    scores.set("token_f1 and rouge_l", ((scores.get("token_f1") ?? 0) + (scores.get("rouge_l") ?? 0)) / 2);
    scores.set("overall", scores.get("word_recall") ?? scores.get("chrf") ?? 0);
    scores.delete("word_recall");
    for (const [name, value] of scores) (columns[name] ??= []).push(value);
  }
  const table = Object.entries(columns).map(([score, values]) => {
    const [agreement, length] = [spearman(values, ratings), spearman(values, lengths)];
    const beyond = partial(agreement, length, spearman(ratings, lengths));
    return { score, people: round(agreement), length: round(length), "beyond length": round(beyond) };
  });
  process.stdout.write(`${set}, ${rows.length} replies\n`);
  console.table(table);
}

function round(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toFixed(3)) : null;
}

function partial(agreement: number, scoreLength: number, ratingLength: number): number {
  return (agreement - scoreLength * ratingLength) / Math.sqrt((1 - scoreLength ** 2) * (1 - ratingLength ** 2));
}

function spearman(left: readonly number[], right: readonly number[]): number {
  const [leftRanks, rightRanks] = [ranks(left), ranks(right)];
  return correlation(leftRanks.map((rank, index) => [rank, rightRanks[index] ?? 0] as const)) ?? 0;
}

/** Ranks from 0; equal values share the mean of theirs. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).toSorted((left, right) => left.value - right.value);
  const result = values.map(() => 0);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && order[to]?.value === order[from]?.value) to++;
    for (const { index } of order.slice(from, to)) result[index] = (from + to - 1) / 2;
    from = to;
  }
  return result;
}
