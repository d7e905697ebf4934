import { nearestName } from "../../base/text.ts";
import { checkNames, reservedPrefixes, reservedScores } from "../../contract/schemas/score-names.ts";
import type { ScorerSetting, UserScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { normalize } from "../text/normalize.ts";
import { PatternError } from "./checks/compile-pattern.ts";
import { SchemaError } from "./checks/json-schema.ts";
import { createPatternSizes, type PatternSizes } from "./checks/pattern-sizes.ts";
import { createCheck, settingKey } from "./create-checks.ts";

export interface ScorerProblem {
  readonly index: number;
  /** Field of the setting, "" for the whole. */
  readonly field: "" | "pattern" | "schema" | "name" | "max" | "text";
  readonly code:
    | "unknown_scorer"
    | "duplicate_name"
    | "pattern_unsupported"
    | "schema_invalid"
    | "required"
    | "too_small"
    | "too_big";
  readonly message: string;
}

/** Characters that the patterns, and the schemas as JSON, of one list may have together: making most of them ready takes a second or two then. */
const longest = { pattern: 20_000, schema: 100_000 };

/**
 * What is wrong with a list of scorers, before any reply is scored with it. Whether its patterns and schemas can be used is found
 * out by `readinessProblems`, which may take long.
 */
export function scorerProblems(settings: readonly ScorerSetting[], available: readonly string[]): ScorerProblem[] {
  const tooLong = lengthProblems(settings);
  if (tooLong.length > 0) return tooLong;
  const names = checkNames(settings);
  return settings.flatMap((setting, index): ScorerProblem[] => {
    if (typeof setting === "string") return nameProblems(setting, { index, settings, available });
    const taken = new Set([...available, ...names.slice(0, index)]);
    return [...checkNameProblems(names[index] ?? "", { index, taken }), ...settingProblems(setting, index)];
  });
}

export function checkNameProblems(
  name: string,
  { index, taken }: { index: number; taken: ReadonlySet<string | null> },
): ScorerProblem[] {
  const prefix = reservedPrefixes.find((start) => name.startsWith(start));
  const message =
    reservedScores.has(name) || taken.has(name)
      ? `"${name}" is ${name in {} ? "a name that no score can have" : "the name of another score"}`
      : prefix && `"${name}" begins with "${prefix}", as only the service's own scores do`;
  return message ? [{ index, field: "name", code: "duplicate_name", message }] : [];
}

/** What is found wrong only when the checks of a list are made ready: patterns and schemas that cannot be used. */
export function readinessProblems(settings: readonly ScorerSetting[]): ScorerProblem[] {
  const sizes = createPatternSizes();
  return settings.flatMap((setting, index) =>
    typeof setting === "string" ? [] : readinessProblem(setting, { index, sizes }),
  );
}

/** The same for many lists: a check that a thousand of them have is made ready once. */
export function createReadinessProblems(): (settings: readonly UserScorerSetting[]) => ScorerProblem[] {
  const tried = new Map<string, Trial>();
  return (settings) => {
    const sizes = createPatternSizes();
    return settings.flatMap((setting, index) => {
      const key = settingKey(setting);
      const trial = tried.get(key) ?? tryAlone(setting);
      tried.set(key, trial);
      const fits = trial.steps.every((steps) => sizes.count(steps) === null);
      if (trial.problems.length > 0) return trial.problems.map((problem) => ({ ...problem, index }));
      return fits ? [] : readinessProblem(setting, { index, sizes });
    });
  };
}

/** How it went to make a check ready by itself, and the steps of its patterns. */
interface Trial {
  readonly problems: readonly ScorerProblem[];
  readonly steps: readonly number[];
}

function tryAlone(setting: UserScorerSetting): Trial {
  const sizes = createPatternSizes();
  const steps: number[] = [];
  function count(size: number): string | null {
    steps.push(size);
    return sizes.count(size);
  }
  return { problems: readinessProblem(setting, { index: 0, sizes: { ...sizes, count } }), steps };
}

/** The first pattern and the first schema that are too much with those before them. */
export function lengthProblems(settings: readonly ScorerSetting[]): ScorerProblem[] {
  const together = { pattern: 0, schema: 0 };
  const problems = new Map<string, ScorerProblem>();
  for (const [index, setting] of settings.entries()) {
    if (typeof setting === "string" || (setting.type !== "regex" && setting.type !== "json_schema")) continue;
    const field = setting.type === "regex" ? "pattern" : "schema";
    together[field] += setting.type === "regex" ? setting.pattern.length : JSON.stringify(setting.schema).length;
    if (together[field] <= longest[field] || problems.has(field)) continue;
    const message = `is too long: the ${field}s of one run may have ${longest[field]} characters together`;
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
  const nearest = nearestName(name, available);
  const hint = nearest === undefined ? "." : `; did you mean "${nearest}"?`;
  const message = `"${name.slice(0, 64)}" is no scorer here${hint} Known: ${available.join(", ")}`;
  return [{ index, field: "", code: "unknown_scorer", message }];
}

/** A check that every reply passes checks nothing, and would make `overall` look better than it is. */
function idleProblem(setting: Exclude<ScorerSetting, string>): Omit<ScorerProblem, "index"> | null {
  if (setting.type === "length" && setting.min === undefined && setting.max === undefined) {
    return { field: "max", code: "required", message: "is required where there is no min: every length would do" };
  }
  if (setting.type === "contains" && [setting.text].flat().some((text) => normalize(text) === "")) {
    return { field: "text", code: "too_small", message: "must hold more than white space, which every reply contains" };
  }
  return null;
}

export function settingProblems(setting: Exclude<ScorerSetting, string>, index: number): ScorerProblem[] {
  if (
    setting.type === "length" &&
    setting.min !== undefined &&
    setting.max !== undefined &&
    setting.max < setting.min
  ) {
    return [{ index, field: "max", code: "too_small", message: "must be at least min" }];
  }
  const idle = idleProblem(setting);
  return idle ? [{ index, ...idle }] : [];
}

function readinessProblem(
  setting: Exclude<ScorerSetting, string>,
  { index, sizes }: { index: number; sizes: PatternSizes },
): ScorerProblem[] {
  try {
    createCheck(setting, sizes);
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
