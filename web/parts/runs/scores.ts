import type { RunComparison } from "../../../src/contract/schemas/comparison.ts";
import type { AttemptResult } from "../../../src/contract/schemas/evaluation-response.ts";
import { outcomeOfAttempt, type Outcome } from "../../../src/contract/schemas/outcome.ts";
import { checkNames, scoreTitle } from "../../../src/contract/schemas/scores/score-names.ts";
import { scoreFacts } from "../../../src/contract/schemas/scores/scores.data.ts";
import type { TurnCheck } from "../../../src/contract/schemas/scores/scorer-setting.ts";

/** `waiting`: no turn is stored yet. `unfinished`: some turns are stored. */
export type AttemptStatus = Outcome | "waiting" | "unfinished";

/** Classifies an attempt; a turn without a reply makes it `errored`, not `failed`. */
export function classifyAttempt(attempt: AttemptResult, threshold: number | undefined): AttemptStatus {
  if (attempt.interactions.length === 0) return "waiting";
  if (attempt.unfinished) return "unfinished";
  if (attempt.user?.failure) return "simulator_failed";
  if (attempt.interactions.some((turn) => turn.error)) return "errored";
  return outcomeOfAttempt(attempt, threshold);
}

/** Sorts `overall` and `success` first, then outcomes and tool calls, the rest by name. */
export const compareScoreNames = (left: string, right: string): number =>
  rank(left) - rank(right) || left.localeCompare(right);

const leading = ["overall", "success", "outcome", "tool_match"];

const rank = (name: string): number => {
  const place = leading.indexOf(name);
  if (place !== -1) return place < 2 ? place : groupRank(name);
  return groupRank(name) + 0.5;
};

const groupRank = (name: string): number => 2 + scoreGroups.indexOf(scoreGroup(name));

/** The kinds of scores, in the order of tables. */
const scoreGroups = ["Outcome", "Tool calls", "Replies and labels"] as const;
type ScoreGroup = (typeof scoreGroups)[number];

/** True for scores of a whole attempt against its `expect`. */
export const isOutcomeScore = (name: string): boolean =>
  known.get(name)?.group === "outcome" || name.startsWith("outcome.");

function scoreGroup(name: string): ScoreGroup {
  if (isOutcomeScore(name)) return "Outcome";
  return known.get(name)?.group === "calls" ? "Tool calls" : "Replies and labels";
}

/**
 * Scores in the order of tables, under a title where an agent acted: outcomes and tool calls are then apart from the scores of
 * replies. `overall` and `success` come first, without a title.
 */
export function groupScores<Entry>(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
): readonly { readonly title: ScoreGroup | null; readonly entries: readonly Entry[] }[] {
  const sorted = entries.toSorted((left, right) => compareScoreNames(nameOf(left), nameOf(right)));
  if (sorted.every((entry) => scoreGroup(nameOf(entry)) === "Replies and labels"))
    return [{ title: null, entries: sorted }];
  const groups = Map.groupBy(sorted, (entry) => {
    const name = nameOf(entry);
    return name === "overall" || name === "success" ? null : scoreGroup(name);
  });
  return [...groups].map(([title, members]) => ({ title, entries: members }));
}

/** The score that a comparison's verdict is about, and its sentence, with the score named as on the page. */
export function verdictInWords({ scores, sentence }: Pick<RunComparison, "scores" | "sentence">) {
  const score = scores.find((compared) => compared.sentence === sentence);
  if (!score) return { name: "one score", sentence };
  const [told, name] = [scoreTitle(score.name), scoreLabel(score.name)];
  return {
    name,
    sentence: sentence.startsWith(`${told} `) ? name + sentence.slice(told.length) : sentence,
  };
}

const outcomeParts: Readonly<Record<string, string>> = {
  state: "Final state",
  state_after: "State after the expected calls",
  said: "Said",
  must_call: "Must call",
  must_not_call: "Must not call",
  before: "Order of calls",
  max_calls: "Number of calls",
  rubric: "Judge's question",
  replies: "Replies",
  user: "Simulated user",
};

/** The title of a part of an outcome. */
export const outcomePartLabel = (name: string): string => outcomeParts[name] ?? name.replaceAll("_", " ");

/** The rubrics of a turn by the name of their score. */
export function rubricsByScore(checks: readonly TurnCheck[] = []): ReadonlyMap<string, string> {
  const rubrics = checks.filter((check) => check.type === "rubric");
  const names = checkNames(rubrics);
  return new Map(rubrics.map(({ text }, index) => [names[index] ?? "rubric", text]));
}

const known: ReadonlyMap<string, (typeof scoreFacts)[number]> = new Map(scoreFacts.map((fact) => [fact.name, fact]));

/** `metadata.intent` → "intent label", `outcome.must_call` → "outcome: must call", `edit_similarity` → "edit similarity". */
export function scoreLabel(name: string): string {
  if (name.startsWith("metadata.")) return `${name.slice("metadata.".length)} label`;
  if (name.startsWith("outcome.")) return `outcome: ${outcomePartLabel(name.slice("outcome.".length)).toLowerCase()}`;
  return known.get(name)?.label ?? name.replaceAll("_", " ");
}
