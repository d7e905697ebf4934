import { closestName } from "../../base/text.ts";
import type { Trust } from "../../contract/schemas/evaluation-request.ts";
import {
  checkNames,
  memberNames,
  reservedPrefixes,
  reservedScores,
  turnCheckNames,
  turnScoreNames,
} from "../../contract/schemas/scores/score-names.ts";
import {
  usesCode,
  type ScorerSetting,
  type TurnCheck,
  type UserScorerSetting,
} from "../../contract/schemas/scores/scorer-setting.ts";
import { compileCheck, entryOf } from "../../scoring/checks/checks.ts";
import { createPatternBudget, PatternError, type PatternBudget } from "./compile-pattern.ts";
import { SchemaError } from "./compile-schema.ts";
import { compilers } from "./compilers.ts";
import { settingKey } from "./create-checks.ts";

export interface ScorerProblem {
  readonly index: number;
  /** Field of the setting; "" for the setting itself. */
  readonly field: string;
  readonly code:
    | "unknown_scorer"
    | "duplicate_name"
    | "pattern_unsupported"
    | "schema_invalid"
    | "required"
    | "too_small"
    | "too_big"
    | "not_allowed";
  readonly message: string;
}

/**
 * Validates a list of scorers without compiling their patterns and schemas; `compilationProblems` does that, and may take long.
 */
export function scorerProblems(
  settings: readonly ScorerSetting[],
  available: readonly string[],
  { trust }: ProblemOptions = {},
): ScorerProblem[] {
  const tooLong = lengthProblems(settings);
  if (tooLong.length > 0) return tooLong;
  const names = checkNames(settings);
  return settings.flatMap((setting, index): ScorerProblem[] => {
    if (typeof setting === "string") return nameProblems(setting, { index, settings, available });
    const taken = new Set([...available, ...names.slice(0, index)]);
    const ofCode = trust === "operator" || !usesCode(setting) ? [] : [codeProblem(index)];
    return [...checkNameProblems(names[index] ?? "", { index, taken }), ...settingProblems(setting, index), ...ofCode];
  });
}

interface ProblemOptions {
  /** Default: settings of a request, which may not hold code. */
  readonly trust?: Trust | undefined;
}

const codeProblem = (index: number): ScorerProblem => ({
  index,
  field: "",
  code: "not_allowed",
  message: "runs code, which only the files of rehearsal eval may bring: a request cannot",
});

function checkNameProblems(
  name: string,
  { index, taken }: { index: number; taken: ReadonlySet<string | null> },
): ScorerProblem[] {
  const prefix = reservedPrefixes.find((start) => name.startsWith(start));
  const message =
    reservedScores.has(name) || taken.has(name)
      ? `"${name}" is ${name in {} ? "a name that no score can have" : "the name of another score"}`
      : prefix && `"${name}" begins with "${prefix}", which is reserved for built-in scores`;
  return message ? [{ index, field: "name", code: "duplicate_name", message }] : [];
}

/** Compiles the checks of a list and reports patterns and schemas that cannot be used. */
export function compilationProblems(settings: readonly ScorerSetting[]): ScorerProblem[] {
  const budget = createPatternBudget();
  return settings.flatMap((setting, index) =>
    typeof setting === "string" ? [] : compileProblem(setting, { index, budget }),
  );
}

/** {@link compilationProblems} for many lists: a check that many of them share is compiled once. */
export function createCompilationProblems(): (settings: readonly UserScorerSetting[]) => ScorerProblem[] {
  const tried = new Map<string, Trial>();
  return (settings) => {
    const budget = createPatternBudget();
    return settings.flatMap((setting, index) => {
      const key = settingKey(setting);
      const trial = tried.get(key) ?? compileAlone(setting);
      tried.set(key, trial);
      const fits = trial.steps.every((steps) => budget.count(steps) === null);
      if (trial.problems.length > 0) return trial.problems.map((problem) => ({ ...problem, index }));
      return fits ? [] : compileProblem(setting, { index, budget });
    });
  };
}

/** The result of compiling a check by itself, and the budget of its patterns. */
interface Trial {
  readonly problems: readonly ScorerProblem[];
  readonly steps: readonly number[];
}

function compileAlone(setting: UserScorerSetting): Trial {
  const budget = createPatternBudget();
  const steps: number[] = [];
  function count(size: number): string | null {
    steps.push(size);
    return budget.count(size);
  }
  return { problems: compileProblem(setting, { index: 0, budget: { ...budget, count } }), steps };
}

/** The first pattern and the first schema that exceed the total length. */
export function lengthProblems(settings: readonly ScorerSetting[]): ScorerProblem[] {
  const totals = new Map<string, number>();
  const problems = new Map<string, ScorerProblem>();
  for (const [index, setting] of settings.entries()) {
    const source = typeof setting === "string" ? undefined : entryOf(setting).source;
    if (typeof setting === "string" || !source) continue;
    const { field, most } = source;
    const total = (totals.get(field) ?? 0) + source.size(setting);
    totals.set(field, total);
    if (total <= most || problems.has(field)) continue;
    const message = `is too long: the ${field}s of one run may have ${most} characters together`;
    problems.set(field, { index, field, code: "too_big", message });
  }
  return [...problems.values()];
}

function nameProblems(
  name: string,
  { index, settings, available }: { index: number; settings: readonly ScorerSetting[]; available: readonly string[] },
): ScorerProblem[] {
  if (settings.indexOf(name) < index) {
    return [{ index, field: "", code: "duplicate_name", message: `"${name}" is listed twice` }];
  }
  if (available.includes(name)) return [];
  const nearest = closestName(name, available);
  const hint = nearest === undefined ? "." : `; did you mean "${nearest}"?`;
  const message = `"${name.slice(0, 64)}" is not a known scorer${hint} Known: ${available.join(", ")}`;
  return [{ index, field: "", code: "unknown_scorer", message }];
}

/** Settings that the schema cannot refuse: a check that every reply passes, for example, would inflate `overall`. */
function settingProblems(setting: UserScorerSetting, index: number): ScorerProblem[] {
  const problem = entryOf(setting).problem?.(setting);
  return problem ? [{ index, ...problem }] : [];
}

function compileProblem(
  setting: UserScorerSetting,
  { index, budget }: { index: number; budget: PatternBudget },
): ScorerProblem[] {
  try {
    compileCheck(setting, compilers(budget));
    return [];
  } catch (error) {
    if (error instanceof PatternError) {
      return [
        { index, field: "pattern", code: "pattern_unsupported", message: `cannot be run safely: ${error.message}` },
      ];
    }
    if (error instanceof SchemaError) {
      const unsupported = error.cause instanceof PatternError;
      const code = unsupported ? "pattern_unsupported" : "schema_invalid";
      return [{ index, field: "schema", code, message: `is not a usable JSON schema: ${error.message}` }];
    }
    throw error;
  }
}

type ChecksOfTurns = readonly (readonly TurnCheck[])[];

/** The first occurrence of a check: the turn, and the index in its list. */
interface DistinctCheck {
  readonly turn: number;
  readonly index: CheckIndex;
  readonly setting: UserScorerSetting;
}

/** The place in a list of checks; in a group, `2/checks/0`. */
type CheckIndex = number | `${number}/checks/${number}`;

interface TurnCheckProblem extends Omit<ScorerProblem, "index"> {
  readonly turn: number;
  readonly index: CheckIndex;
}

/** The distinct checks of all turns, without rubrics. */
export function distinctChecks(turns: ChecksOfTurns): DistinctCheck[] {
  const distinct = new Map<string, DistinctCheck>();
  for (const [turn, checks] of turns.entries()) {
    for (const [index, check] of checks.entries()) {
      const members = check.type === "group" ? check.checks : [check];
      for (const [member, setting] of members.entries()) {
        if (setting.type === "rubric") continue;
        const key = settingKey(setting);
        const at: CheckIndex = check.type === "group" ? `${index}/checks/${member}` : index;
        if (!distinct.has(key)) distinct.set(key, { turn, index: at, setting });
      }
    }
  }
  return [...distinct.values()];
}

/**
 * Validates the checks of turns beside the scorers of the run, each distinct check once. Patterns and schemas are compiled by
 * `compilationProblems`.
 */
export function turnCheckProblems(
  turns: ChecksOfTurns,
  { scorers, available, trust }: ProblemOptions & { scorers: readonly ScorerSetting[]; available: readonly string[] },
): TurnCheckProblem[] {
  const ofRun = [...available, ...checkNames(scorers)];
  const ofNames = turns.flatMap((checks, turn) => {
    const names = turnCheckNames(checks, scorers);
    return checks.flatMap((check, index) => {
      const name = names[index] ?? check.type;
      const taken = new Set([...ofRun, ...turnScoreNames(checks.slice(0, index), scorers)]);
      const own = checkNameProblems(name, { index, taken });
      const members = check.type === "group" ? memberNames(name, check.checks) : [];
      const ofMembers = members.flatMap((member, at) =>
        checkNameProblems(member, { index, taken: new Set([...taken, name, ...members.slice(0, at)]) }).map(
          (problem) => ({ ...problem, index: `${index}/checks/${at}` as const }),
        ),
      );
      const ofCode = trust === "operator" || !usesCode(check) ? [] : [codeProblem(index)];
      return [...own, ...ofMembers, ...ofCode].map((problem) => ({ turn, ...problem }));
    });
  });
  const distinct = distinctChecks(turns);
  const tooLong = lengthProblems(distinct.map(({ setting }) => setting));
  const wrong =
    tooLong.length > 0 ? tooLong : distinct.flatMap(({ setting }, index) => settingProblems(setting, index));
  return [...ofNames, ...toTurnProblems(wrong, distinct)];
}

/** Maps problems of distinct checks back to their turns. */
export function toTurnProblems(
  problems: readonly ScorerProblem[],
  distinct: readonly DistinctCheck[],
): TurnCheckProblem[] {
  return problems.flatMap((problem) => {
    const place = distinct[problem.index];
    return place ? [{ ...problem, turn: place.turn, index: place.index }] : [];
  });
}
