import { checkNames, memberNames, turnCheckNames } from "../../../contract/schemas/score-names.ts";
import type {
  ScorerSetting,
  SingleCheck,
  TurnCheck,
  UserScorerSetting,
} from "../../../contract/schemas/scorer-setting.ts";
import { turnQuestion, type JudgeQuestion } from "../../judges/judge-question.ts";
import { prepareText } from "../../../scoring/text/prepare-text.ts";
import type { SemanticScorer } from "../../../scoring/scorers/semantic-similarity.ts";
import { unseenCalls, type ReplyCheck, type ScorerInput, type ScorerResult } from "../../../scoring/scorers/scorer.ts";
import type { PatternBudget } from "./compile-pattern.ts";
import { containsCheck, equalsCheck } from "./contains.ts";
import { jsonSchemaCheck } from "./json-schema.ts";
import { costCheck, editDistanceCheck, finishReasonCheck, latencyCheck, lengthCheck } from "./limits.ts";
import { numericCheck } from "./numeric.ts";
import {
  compileQuickly,
  isTextSetting,
  offloadCheck,
  type CheckRunner,
  type OffloadableCheck,
} from "./offload-check.ts";
import { regexCheck } from "./regex.ts";
import { semanticCheck, similarityCheck } from "./similarity.ts";
import { codeCheck, transformedText, type CodeRunner } from "./user-code.ts";
import { xmlCheck } from "./xml.ts";

/** A check and the name of its score. */
export interface NamedCheck {
  readonly name: string;
  readonly check: OffloadableCheck;
  /** False for latency and cost, which are not part of `overall`: a fast wrong answer is not half right. */
  readonly quality: boolean;
  /** Weight among the checks in `overall`; 0 for the checks of a group, which counts in their place. */
  readonly weight: number;
  /** True when a model is asked: an earlier value is kept when no model may be called. */
  readonly asksModel?: boolean;
}

/** The parts of a run that checks may need. */
interface CheckParts {
  /** Runs checks that may take long on another thread. */
  readonly run?: CheckRunner | undefined;
  /** Runs code of users. Default: checks with code fail. */
  readonly code?: CodeRunner | undefined;
  readonly semantic?: SemanticScorer | undefined;
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
    case "edit_distance":
      return editDistanceCheck(setting);
    case "xml":
      return xmlCheck(setting);
    case "finish_reason":
      return finishReasonCheck(setting);
    case "valid_tool_calls":
    case "javascript":
    case "python":
      return () => ({ value: null, reason: "needs parts of the run", failed: true });
  }
}

/** Creates the checks of a run. With `run`, slow ones run on another thread. */
export function createChecks(settings: readonly ScorerSetting[], parts: CheckParts = {}): NamedCheck[] {
  const names = checkNames(settings);
  const quickly = compileQuickly(settings);
  return settings.flatMap((setting, index) => {
    if (typeof setting === "string") return [];
    return [named(names[index] ?? setting.type, setting, createFullCheck(setting, { ...parts, quickly }))];
  });
}

const named = (name: string, setting: UserScorerSetting, check: OffloadableCheck): NamedCheck => ({
  name,
  check,
  quality: setting.type !== "latency" && setting.type !== "cost",
  weight: setting.weight ?? 1,
  ...(isSemantic(setting) && { asksModel: true }),
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
  parts: CheckParts = {},
): (checks: readonly TurnCheck[] | undefined) => TurnChecks {
  const created = new Map<string, OffloadableCheck>();

  function shared(setting: UserScorerSetting): OffloadableCheck {
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

interface FullParts extends CheckParts {
  readonly quickly: boolean;
}

const isSemantic = (setting: UserScorerSetting): boolean =>
  setting.type === "similarity" && setting.metric === "semantic";

/** A check with its transforms before it and its negation after it. */
function createFullCheck(setting: UserScorerSetting, parts: FullParts): OffloadableCheck {
  const check = createPlainCheck(setting, parts);
  const negates = setting.negate === true && setting.type !== "equals" && setting.type !== "regex";
  const { transform } = setting;
  if (!negates && !transform) return check;
  return async (input, signal) => {
    const given = transform ? await withTransform(input, { transform, code: parts.code, signal }) : input;
    // Code that throws has found the reply wrong, as in a check.
    if ("thrown" in given) return { value: 0, reason: given.thrown };
    const result = await check(given, signal);
    return negates ? negated(result) : result;
  };
}

export function negated(result: ScorerResult): ScorerResult {
  if (result.value === null) return result;
  return { ...result, value: 1 - result.value, reason: `not wanted: ${result.reason}` };
}

async function withTransform(
  input: ScorerInput,
  { transform, code, signal }: Parameters<typeof transformedText>[1],
): Promise<ScorerInput | { readonly thrown: string }> {
  const transformed = await transformedText(input, { transform, code, signal });
  if ("thrown" in transformed) return transformed;
  const { text, value } = transformed;
  return { ...input, reply: prepareText(text), output: value };
}

function createPlainCheck(setting: UserScorerSetting, { run, code, semantic, quickly }: FullParts): OffloadableCheck {
  if (setting.type === "javascript" || setting.type === "python") return codeCheck(setting, code);
  if (setting.type === "similarity" && setting.metric === "semantic") return semanticCheck(setting, semantic);
  if (setting.type === "valid_tool_calls") {
    return validCallsCheck((schema) =>
      createPlainCheck({ type: "json_schema", schema: schema as never }, { run, quickly: false }),
    );
  }
  return run && isTextSetting(setting) ? offloadCheck(setting, run, { quickly }) : createCheck(setting);
}

/** 1 when the turn has tool calls, each to a declared tool and with arguments that fit its parameters. */
function validCallsCheck(toCheck: (schema: unknown) => OffloadableCheck): OffloadableCheck {
  const checks = new Map<string, OffloadableCheck>();
  return async (input, signal) => {
    const { tool_calls: calls = [], tools, callsSeen = true } = input.turn ?? {};
    if (calls.length === 0 && !callsSeen) return { value: null, reason: unseenCalls, undecided: true };
    if (calls.length === 0) return { value: 0, reason: "the reply calls no tool" };
    for (const { name, arguments: given, arguments_error: error, arguments_unknown: unknown } of calls) {
      if (unknown) return { value: null, reason: `undecided: the arguments of ${name} are not known`, undecided: true };
      if (error !== undefined) return { value: 0, reason: `the arguments of ${name} are not JSON: ${error}` };
      const tool = tools?.find((entry) => entry.name === name);
      if (tools && !tool) return { value: 0, reason: `${name} is not a declared tool` };
      if (!tool) continue;
      const key = JSON.stringify(tool.parameters ?? {});
      const check = checks.get(key) ?? toCheck(tool.parameters ?? {});
      checks.set(key, check);
      const result = await check({ ...input, reply: prepareText(JSON.stringify(given ?? {})) }, signal);
      if (result.value !== 1) return { ...result, reason: `the arguments of ${name}: ${result.reason}` };
    }
    return { value: 1, reason: `${calls.length} valid ${calls.length === 1 ? "call" : "calls"}` };
  };
}
