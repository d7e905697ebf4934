import type { ScorerSetting, TurnCheck, UserScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { turnQuestion, type JudgeQuestion } from "../judges/judge-question.ts";
import type { Check } from "./checks/check.ts";
import { checkNames, turnCheckNames } from "../../contract/schemas/score-names.ts";
import { checkElsewhere, type AnyCheck, type CheckRunner, type TextSetting } from "./checks/check-elsewhere.ts";
import { contains, equals } from "./checks/contains.ts";
import { jsonSchema } from "./checks/json-schema.ts";
import { cost, latency, length } from "./checks/limits.ts";
import { numeric } from "./checks/numeric.ts";
import type { PatternSizes } from "./checks/pattern-sizes.ts";
import { areQuicklyReady } from "./checks/quickly-ready.ts";
import { regex } from "./checks/regex.ts";
import { similarity } from "./checks/similarity.ts";

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
    case "equals":
      return equals(setting);
    case "similarity":
      return similarity(setting);
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

/** What a turn brings itself: checks, and rubrics for the judge of the run. */
export interface TurnChecks {
  readonly checks: readonly NamedCheck[];
  readonly rubrics: readonly JudgeQuestion[];
}

const none: TurnChecks = { checks: [], rubrics: [] };

/**
 * Makes the checks of single turns. Those that say the same are one: a pattern that a thousand turns have is made ready once, and
 * once it took too long it is not tried on the others.
 */
export function createTurnChecks(
  scorers: readonly ScorerSetting[],
  run?: CheckRunner,
): (checks: readonly TurnCheck[] | undefined) => TurnChecks {
  const made = new Map<string, AnyCheck>();

  function shared(setting: UserScorerSetting): AnyCheck {
    const key = settingKey(setting);
    const check = made.get(key) ?? anyCheck(setting, { run, quickly: areQuicklyReady([setting]) });
    made.set(key, check);
    return check;
  }
  return (settings = []) => {
    if (settings.length === 0) return none;
    const checks: NamedCheck[] = [];
    const rubrics: JudgeQuestion[] = [];
    const names = turnCheckNames(settings, scorers);
    for (const [index, setting] of settings.entries()) {
      const name = names[index] ?? setting.type;
      if (setting.type === "rubric") rubrics.push(turnQuestion(name, setting));
      else checks.push({ name, check: shared(setting), quality: isOfText(setting) });
    }
    return { checks, rubrics };
  };
}

/** The same for checks that judge the same way, whatever they are called. */
export function settingKey(setting: TurnCheck): string {
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
