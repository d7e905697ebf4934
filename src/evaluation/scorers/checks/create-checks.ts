import { checkNames, turnCheckNames } from "../../../contract/schemas/score-names.ts";
import type { ScorerSetting, TurnCheck, UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { turnQuestion, type JudgeQuestion } from "../../judges/judge-question.ts";
import { containsCheck, equalsCheck } from "./contains.ts";
import { jsonSchemaCheck } from "./json-schema.ts";
import { costCheck, latencyCheck, lengthCheck } from "./limits.ts";
import { numericCheck } from "./numeric.ts";
import {
  compileQuickly,
  offloadCheck,
  type CheckRunner,
  type OffloadableCheck,
  type TextSetting,
} from "./offload-check.ts";
import type { PatternBudget } from "./compile-pattern.ts";
import { regexCheck } from "./regex.ts";
import { similarityCheck } from "./similarity.ts";
import type { ReplyCheck } from "../scorer.ts";

/** A check and the name of its score. */
export interface NamedCheck {
  readonly name: string;
  readonly check: OffloadableCheck;
  /** False for latency and cost, which are not part of `overall`: a fast wrong answer is not half right. */
  readonly quality: boolean;
}

/** Creates a check from its settings. Throws `PatternError` or `SchemaError` when they cannot be used. */
export function createCheck(setting: UserScorerSetting, budget?: PatternBudget): ReplyCheck {
  switch (setting.type) {
    case "contains":
      return containsCheck(setting);
    case "equals":
      return equalsCheck(setting);
    case "similarity":
      return similarityCheck(setting);
    case "regex":
      return regexCheck(setting, budget);
    case "json_schema":
      return jsonSchemaCheck(setting, budget);
    case "numeric":
      return numericCheck(setting);
    case "length":
      return lengthCheck(setting);
    case "latency":
      return latencyCheck(setting);
    case "cost":
      return costCheck(setting);
  }
}

/** Creates the checks of a run. With `run`, slow ones run on another thread. */
export function createChecks(settings: readonly ScorerSetting[], run?: CheckRunner): NamedCheck[] {
  const names = checkNames(settings);
  const quickly = compileQuickly(settings);
  return settings.flatMap((setting, index) =>
    typeof setting === "string"
      ? []
      : [
          {
            name: names[index] ?? setting.type,
            check: createOffloadable(setting, { run, quickly }),
            quality: isTextCheck(setting),
          },
        ],
  );
}

/** The checks of a turn, and its rubrics for the judge of the run. */
export interface TurnChecks {
  readonly checks: readonly NamedCheck[];
  readonly rubrics: readonly JudgeQuestion[];
}

const none: TurnChecks = { checks: [], rubrics: [] };

/**
 * Creates the checks of single turns. Equal checks are shared: a pattern of a thousand turns is compiled once, and given up for
 * all of them after one timeout.
 */
export function createTurnChecks(
  scorers: readonly ScorerSetting[],
  run?: CheckRunner,
): (checks: readonly TurnCheck[] | undefined) => TurnChecks {
  const created = new Map<string, OffloadableCheck>();

  function shared(setting: UserScorerSetting): OffloadableCheck {
    const key = settingKey(setting);
    const check = created.get(key) ?? createOffloadable(setting, { run, quickly: compileQuickly([setting]) });
    created.set(key, check);
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
      else checks.push({ name, check: shared(setting), quality: isTextCheck(setting) });
    }
    return { checks, rubrics };
  };
}

/** Equal for checks that differ only in name. */
export function settingKey(setting: TurnCheck): string {
  return JSON.stringify({ ...setting, name: undefined });
}

function isTextCheck(setting: UserScorerSetting): setting is TextSetting {
  return setting.type !== "latency" && setting.type !== "cost";
}

function createOffloadable(
  setting: UserScorerSetting,
  { run, quickly }: { readonly run: CheckRunner | undefined; readonly quickly: boolean },
): OffloadableCheck {
  return run && isTextCheck(setting) ? offloadCheck(setting, run, { quickly }) : createCheck(setting);
}
