import { scoreFacts } from "./scores.data.ts";
import type { ScorerSetting, SingleCheck, TurnCheck } from "./scorer-setting.ts";

/** The names of a turn's own checks, numbered after those of the run, so that the scores of a reply have distinct names. */
export function turnCheckNames(checks: readonly TurnCheck[], scorers: readonly ScorerSetting[]): string[] {
  return checkNames([...scorers, ...checks])
    .slice(scorers.length)
    .filter((name) => name !== null);
}

/** The names of the checks in a list of scorers: the given name, or the type, numbered from the second on. */
export function checkNames(settings: readonly (ScorerSetting | TurnCheck)[]): (string | null)[] {
  const counts = new Map<string, number>();
  return settings.map((setting) => {
    if (typeof setting === "string") return null;
    if (setting.name !== undefined) return setting.name;
    const count = (counts.get(setting.type) ?? 0) + 1;
    counts.set(setting.type, count);
    return count === 1 ? setting.type : `${setting.type}_${count}`;
  });
}

/** The names of the checks in a group: the given one, or the group's and the type, numbered from the second on. */
export function memberNames(group: string, checks: readonly TurnCheck[]): string[] {
  return checkNames(checks).map((name, index) => checks[index]?.name ?? `${group}.${name ?? ""}`);
}

/** The names of all scores of a turn's own checks, with those of the checks in groups. */
export function turnScoreNames(checks: readonly TurnCheck[], scorers: readonly ScorerSetting[]): string[] {
  const names = turnCheckNames(checks, scorers);
  return checks.flatMap((check, index) => {
    const name = names[index] ?? check.type;
    return check.type === "group" ? [name, ...memberNames(name, check.checks)] : [name];
  });
}

type NamedRubric = Extract<SingleCheck, { type: "rubric" }>;

/** The rubrics among a turn's own checks, also those in groups, with the names of their scores. */
export function namedRubrics(
  checks: readonly TurnCheck[],
  scorers: readonly ScorerSetting[],
): { name: string; rubric: NamedRubric }[] {
  const names = turnCheckNames(checks, scorers);
  return checks.flatMap((check, index) => {
    const name = names[index] ?? check.type;
    if (check.type === "rubric") return [{ name, rubric: check }];
    if (check.type !== "group") return [];
    const members = memberNames(name, check.checks);
    return check.checks.flatMap((member, at) =>
      member.type === "rubric" ? [{ name: members[at] ?? name, rubric: member }] : [],
    );
  });
}

/** Names of built-in scores, which a check or scorer must not replace, and property names that every object has. */
export const reservedScores: ReadonlySet<string> = new Set([
  ...scoreFacts.map(({ name }) => name),
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** Prefixes of label, rubric and outcome scores. Those depend on the scenarios, so checks may use none of them. */
export const reservedPrefixes = ["metadata.", "judge.", "conversation.", "outcome."] as const;

/** A score's name for people. `success` says only that the endpoint replied. */
export const scoreTitle = (name: string): string => (name === "success" ? "replied" : name);

/** True for the scores of the user's checks and scorers. */
export function isOwnScore(name: string): boolean {
  return (
    !reservedScores.has(name) &&
    name !== simulatedUserScore &&
    !reservedPrefixes.some((start) => name.startsWith(start))
  );
}

const namesWith = (fact: "similarity" | "judge" | "states" | "binary"): ReadonlySet<string> =>
  new Set(scoreFacts.filter((score) => score[fact]).map(({ name }) => name));

/** Scores that compare a reply with references. They say how close it is, not whether it is right. */
export const similarityScores = namesWith("similarity");

/** Scores that a judge gives, except those of single rubrics. */
export const judgeScores = namesWith("judge");

/** Scores that are a statement of the scenario: below 1, the turn has failed. */
export const statementScores = namesWith("states");

/** Scores that are always 0 or 1. */
export const binaryScores = namesWith("binary");

/** Names with `overall` first, then `outcome`, the others in their order. */
export function overallFirst(names: readonly string[]): string[] {
  const first = ["overall", "outcome"].filter((name) => names.includes(name));
  return [...first, ...names.filter((name) => !first.includes(name))];
}

/** The score of every attempt with a simulated user: 1, or 0 when the simulator failed. */
export const simulatedUserScore = "simulated_user";

/** The checks themselves, with those of groups in their place. */
export function singleChecks(checks: readonly TurnCheck[]): SingleCheck[] {
  return checks.flatMap((check) => (check.type === "group" ? check.checks : check));
}
