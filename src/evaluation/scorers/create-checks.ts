import type { ScorerSetting, UserScorerSetting } from "../../contract/scorer-setting.ts";
import type { Check } from "./checks/check.ts";
import { checkElsewhere, type AnyCheck, type CheckRunner, type TextSetting } from "./checks/check-elsewhere.ts";
import { contains } from "./checks/contains.ts";
import { jsonSchema } from "./checks/json-schema.ts";
import { cost, latency, length } from "./checks/limits.ts";
import { numeric } from "./checks/numeric.ts";
import type { PatternSizes } from "./checks/pattern-sizes.ts";
import { areQuicklyReady } from "./checks/quickly-ready.ts";
import { regex } from "./checks/regex.ts";

/** A check of the caller under the name of its score. */
export interface NamedCheck {
  readonly name: string;
  readonly check: AnyCheck;
  /** Time and money are no part of `overall`: a quick wrong answer is not half right. */
  readonly quality: boolean;
}

/** Makes a check from its settings. Throws `PatternError` or `SchemaError` when they cannot be used. */
export function createCheck(setting: UserScorerSetting, sizes?: PatternSizes): Check {
  switch (setting.type) {
    case "contains":
      return contains(setting);
    case "regex":
      return regex(setting, sizes);
    case "json_schema":
      return jsonSchema(setting, sizes);
    case "numeric":
      return numeric(setting);
    case "length":
      return length(setting);
    case "latency":
      return latency(setting);
    case "cost":
      return cost(setting);
  }
}

/** The names of a turn's own checks: numbered on from those of the run, so that no two scores of a reply share one. */
export function turnCheckNames(checks: readonly UserScorerSetting[], scorers: readonly ScorerSetting[]): string[] {
  return checkNames([...scorers, ...checks])
    .slice(scorers.length)
    .filter((name) => name !== null);
}

/** The names of the checks in a list of scorers: the given one, else the type, numbered from the second on. */
export function checkNames(settings: readonly ScorerSetting[]): (string | null)[] {
  const counts = new Map<string, number>();
  return settings.map((setting) => {
    if (typeof setting === "string") return null;
    if (setting.name !== undefined) return setting.name;
    const count = (counts.get(setting.type) ?? 0) + 1;
    counts.set(setting.type, count);
    return count === 1 ? setting.type : `${setting.type}_${count}`;
  });
}

/** With `run`, what may take long is done by it. */
export function createChecks(settings: readonly ScorerSetting[], run?: CheckRunner): NamedCheck[] {
  const names = checkNames(settings);
  const quickly = areQuicklyReady(settings);
  return settings.flatMap((setting, index) =>
    typeof setting === "string"
      ? []
      : [
          {
            name: names[index] ?? setting.type,
            check: anyCheck(setting, { run, quickly }),
            quality: isOfText(setting),
          },
        ],
  );
}

/**
 * Makes the checks of single turns. Those that say the same are one: a pattern that a thousand turns have is made ready once, and
 * once it took too long it is not tried on the others.
 */
export function createTurnChecks(
  scorers: readonly ScorerSetting[],
  run?: CheckRunner,
): (checks: readonly UserScorerSetting[] | undefined) => readonly NamedCheck[] {
  const made = new Map<string, AnyCheck>();

  function shared(setting: UserScorerSetting): AnyCheck {
    const key = settingKey(setting);
    const check = made.get(key) ?? anyCheck(setting, { run, quickly: areQuicklyReady([setting]) });
    made.set(key, check);
    return check;
  }
  return (checks = []) => {
    if (checks.length === 0) return [];
    const names = turnCheckNames(checks, scorers);
    return checks.map((setting, index) => ({
      name: names[index] ?? setting.type,
      check: shared(setting),
      quality: isOfText(setting),
    }));
  };
}

/** The same for checks that judge the same way, whatever they are called. */
export function settingKey(setting: UserScorerSetting): string {
  return JSON.stringify({ ...setting, name: undefined });
}

function isOfText(setting: UserScorerSetting): setting is TextSetting {
  return setting.type !== "latency" && setting.type !== "cost";
}

function anyCheck(
  setting: UserScorerSetting,
  { run, quickly }: { readonly run: CheckRunner | undefined; readonly quickly: boolean },
): AnyCheck {
  return run && isOfText(setting) ? checkElsewhere(setting, run, { quickly }) : createCheck(setting);
}
