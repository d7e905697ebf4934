import type { ScorerSetting, UserScorerSetting } from "../../contract/scorer-setting.ts";
import type { Check } from "./checks/check.ts";
import { checkElsewhere, type AnyCheck, type CheckRunner } from "./checks/check-elsewhere.ts";
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
  return settings.flatMap((setting, index) => {
    if (typeof setting === "string") return [];
    const quality = setting.type !== "latency" && setting.type !== "cost";
    return [{ name: names[index] ?? setting.type, check: anyCheck(setting), quality }];
  });

  function anyCheck(setting: UserScorerSetting): AnyCheck {
    const ofText = setting.type !== "latency" && setting.type !== "cost";
    return run && ofText ? checkElsewhere(setting, run, { quickly }) : createCheck(setting);
  }
}
