import { checkNames, memberNames, turnCheckNames } from "../../contract/schemas/scores/score-names.ts";
import type {
  ScorerSetting,
  SingleCheck,
  TurnCheck,
  UserScorerSetting,
} from "../../contract/schemas/scores/scorer-setting.ts";
import { askingCheck, compileCheck, entryOf, placeOf } from "../../scoring/checks/checks.ts";
import type { AskingCheck, CheckParts } from "../../scoring/checks/define-check.ts";
import { resultOfThrown, transformedInput } from "../../scoring/checks/user-code.ts";
import type { ReplyCheck } from "../../scoring/scorers/scorer.ts";
import { turnQuestion, type JudgeQuestion } from "../judges/judge-question.ts";
import { compilers } from "./compilers.ts";
import { compileQuickly, offloadCheck, type CheckRunner } from "./offload-check.ts";

/** A check and the name of its score. */
export interface NamedCheck {
  readonly name: string;
  readonly check: AskingCheck;
  /** Part of `overall`. */
  readonly quality: boolean;
  /** Weight among the checks in `overall`; 0 for the checks of a group, which counts in their place. */
  readonly weight: number;
  /** True when a model is asked: an earlier value is kept when no model may be called. */
  readonly asksModel: boolean;
}

interface CreateParts extends CheckParts {
  /** Runs checks that may take long on another thread. */
  readonly run?: CheckRunner | undefined;
}

/** Creates a check from its settings. Throws `PatternError` or `SchemaError` when they cannot be used. */
export function createCheck(setting: UserScorerSetting): ReplyCheck {
  return compileCheck(setting, compilers()).check;
}

/** Creates the checks of a run. With `run`, slow ones run on another thread. */
export function createChecks(settings: readonly ScorerSetting[], parts: CreateParts = {}): NamedCheck[] {
  const names = checkNames(settings);
  const quickly = compileQuickly(settings);
  return settings.flatMap((setting, index) => {
    if (typeof setting === "string") return [];
    return [named(names[index] ?? setting.type, setting, createFullCheck(setting, { ...parts, quickly }))];
  });
}

const named = (name: string, setting: UserScorerSetting, check: AskingCheck): NamedCheck => ({
  name,
  check,
  quality: entryOf(setting).inOverall !== false,
  weight: setting.weight ?? 1,
  asksModel: placeOf(setting) === "model",
});

/** A rubric of a turn, with the settings that apply to the verdict. */
export interface TurnRubric {
  readonly question: JudgeQuestion;
  readonly setting: Extract<TurnCheck, { type: "rubric" }>;
  readonly weight: number;
}

/** The score of several checks together. */
export interface CheckGroup {
  readonly name: string;
  readonly members: readonly { readonly name: string; readonly weight: number }[];
  readonly threshold: number | undefined;
  readonly weight: number;
}

/** The checks of a turn, its rubrics for the judge of the run, and the groups they are in. */
export interface TurnChecks {
  readonly checks: readonly NamedCheck[];
  readonly rubrics: readonly TurnRubric[];
  readonly groups: readonly CheckGroup[];
}

const none: TurnChecks = { checks: [], rubrics: [], groups: [] };

/**
 * Creates the checks of single turns. Equal checks are shared: a pattern of a thousand turns is compiled once, and given up for
 * all of them after one timeout.
 */
export function createTurnChecks(
  scorers: readonly ScorerSetting[],
  parts: CreateParts = {},
): (checks: readonly TurnCheck[] | undefined) => TurnChecks {
  const created = new Map<string, AskingCheck>();

  function shared(setting: UserScorerSetting): AskingCheck {
    const key = settingKey(setting);
    const check = created.get(key) ?? createFullCheck(setting, { ...parts, quickly: compileQuickly([setting]) });
    created.set(key, check);
    return check;
  }
  return (settings = []) => {
    if (settings.length === 0) return none;
    const checks: NamedCheck[] = [];
    const rubrics: TurnRubric[] = [];
    const groups: CheckGroup[] = [];
    const add = (name: string, setting: SingleCheck, weight: number): void => {
      if (setting.type === "rubric") rubrics.push({ question: turnQuestion(name, setting), setting, weight });
      else checks.push({ ...named(name, setting, shared(setting)), weight });
    };
    const names = turnCheckNames(settings, scorers);
    for (const [index, setting] of settings.entries()) {
      const name = names[index] ?? setting.type;
      const { weight = 1 } = setting;
      if (setting.type !== "group") {
        add(name, setting, weight);
        continue;
      }
      const members = memberNames(name, setting.checks);
      setting.checks.forEach((member, at) => add(members[at] ?? member.type, member, 0));
      groups.push({
        name,
        members: setting.checks.map((member, at) => ({ name: members[at] ?? "", weight: member.weight ?? 1 })),
        threshold: setting.threshold,
        weight,
      });
    }
    return { checks, rubrics, groups };
  };
}

/** Equal for checks that differ only in name. */
export function settingKey(setting: TurnCheck): string {
  return JSON.stringify({ ...setting, name: undefined });
}

/** A check of a run, with its transforms before it. */
function createFullCheck(setting: UserScorerSetting, parts: CreateParts & { readonly quickly: boolean }): AskingCheck {
  const check = createPlainCheck(setting, parts);
  const { transform } = setting;
  if (!transform) return check;
  return async (input, signal) => {
    const given = await transformedInput(input, { transform, code: parts.code, signal });
    return "thrown" in given ? resultOfThrown(given) : check(given, signal);
  };
}

function createPlainCheck(
  setting: UserScorerSetting,
  { run, quickly, ...parts }: CreateParts & { readonly quickly: boolean },
): AskingCheck {
  const place = placeOf(setting);
  if (place === "code" || place === "model") return askingCheck(setting, parts);
  return run && place === "thread" ? offloadCheck(setting, run, { quickly }) : createCheck(setting);
}
