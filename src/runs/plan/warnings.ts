import { compact } from "../../base/compact.ts";
import { toPointer } from "../../base/json.ts";
import { closestName } from "../../base/text.ts";
import { actsInWorld, callReporting, isLocalTarget, offersTools } from "../../contract/schemas/acting/target.ts";
import type { History, JudgeSettings, Protocol, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { passRateMeasure, ratioMeasures } from "../../contract/schemas/margins.ts";
import type { Warning } from "../../contract/errors/problem.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import { scorerNames } from "../../scoring/scorers/scores.ts";
import { sendsSystemPrompt } from "../../models/targets/template.ts";
import { offersOwnTools, type Expectations, type Listed } from "./expectations.ts";

/** The most warnings of one kind. */
const mostWarnings = 20;

export interface WarningSources {
  readonly expectations: Expectations;
  readonly scoreNames: () => ReadonlySet<string>;
  readonly priceOf: PriceOf | undefined;
  /** Names of the operator's own scorers. */
  readonly customScorers: readonly string[];
}

/** Warns about settings that have no effect, or a surprising one. */
export function runWarnings(settings: RunSettings, sources: WarningSources): readonly Warning[] {
  const { expectations, priceOf } = sources;
  return [
    ...budgetWarnings(settings, priceOf),
    ...conversationWarnings(settings, expectations),
    ...historyWarnings(settings, expectations),
    ...labelRuleWarnings(settings, expectations),
    ...expectationWarnings(settings, sources),
    ...simulatedUserWarnings(settings, expectations),
    ...agentWorldWarnings(settings, expectations),
    ...targetWarnings(settings, expectations),
    ...unseenCallWarnings(settings, expectations),
    ...toolNameWarnings(expectations),
    ...(settings.gate ? gateWarnings(settings.gate, sources.scoreNames()) : []),
  ];
}

interface ExpectingSettings {
  readonly judge?: JudgeSettings | undefined;
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly history?: History | undefined;
  readonly protocol?: Protocol | undefined;
}

/** Warns about scenarios that nothing can pass or fail, which is known before the first call. */
export function expectationWarnings(
  settings: ExpectingSettings,
  { expectations, customScorers }: Pick<WarningSources, "expectations" | "customScorers">,
): readonly Warning[] {
  return [
    ...silentWarnings(settings, expectations.silent, customScorers),
    ...rubricWarnings(settings, expectations),
    ...outcomeWarnings(settings, expectations),
  ];
}

/** Scenarios that expect nothing, in a run whose own scorers and judge need an expectation. */
function silentWarnings(
  { judge, scorers = [], protocol }: ExpectingSettings,
  { count, ids }: Listed,
  customScorers: readonly string[],
): readonly Warning[] {
  const scoresAll =
    // People judge recorded replies.
    protocol === "recorded" ||
    customScorers.length > 0 ||
    scorers.some((setting) => typeof setting !== "string" || !scorerNames.includes(setting)) ||
    (judge !== undefined && judgeQuestions(judge).some(({ needsReference }) => !needsReference));
  if (scoresAll || count === 0) return [];
  const shown = `${quotedIds(ids)}${count > ids.length ? ", …" : ""}`;
  const noun = count === 1 ? "scenario that expects" : "scenarios that expect";
  const message = `has ${count} ${noun} nothing (${shown}): only whether a reply comes can be seen, so they neither pass nor fail`;
  return [{ pointer: "/test_batch", message }];
}

const quotedIds = (ids: readonly string[]): string => ids.map((id) => JSON.stringify(id.slice(0, 80))).join(", ");

/** With reference history every turn is a separate conversation, so the one shown to the judge never took place. */
export function conversationWarnings(
  { judge, history }: Pick<RunSettings, "judge" | "history">,
  { hasConversations }: Expectations,
): readonly Warning[] {
  if (judge?.scope !== "conversation" || history !== "reference" || !hasConversations) return [];
  const message =
    "judges replies together that were not given in one conversation: with reference history the model never sees its own";
  return [{ pointer: "/judge/scope", message }];
}

/** Without `expect`, the outcome of a simulated conversation says only that it ended. A user of the tested model itself is no stranger. */
function simulatedUserWarnings(settings: RunSettings, { users, openUsers }: Expectations): readonly Warning[] {
  const { simulator, model_id, endpoint } = settings;
  const { count, ids } = openUsers;
  const warnings: Warning[] = [];
  if (count > 0) {
    const noun = count === 1 ? "scenario" : "scenarios";
    const message = `has ${count} ${noun} with a simulated user and no expect (${quotedIds(ids)}): outcome says there only whether the user ended the conversation`;
    warnings.push({ pointer: "/test_batch", message });
  }
  if (users > 0 && simulator?.model_id === model_id && simulator.endpoint === endpoint) {
    const message = "is the model under test: it plays both sides of the conversation";
    warnings.push({ pointer: "/simulator/model_id", message });
  }
  return warnings;
}

/** An agent has tools of its own, so it is offered none. Recorded replies have used theirs. */
function agentWorldWarnings(settings: RunSettings, { hasWorlds }: Expectations): readonly Warning[] {
  const { target, world, protocol } = settings;
  if (protocol === "recorded" || actsInWorld(settings) || (!world && !hasWorlds)) return [];
  const place = target ? "world of the target" : "world_address";
  const message = `leaves the tools of the world unused: an agent calls its own, and the final state stays unknown, unless ${place} says how it gets the address of the world`;
  return [{ pointer: target ? "/endpoint" : "/protocol", message }];
}

/** A system prompt that a target has no place for would change nothing. */
function targetWarnings(
  { target, system_prompt }: RunSettings,
  { hasSystemPrompts }: Expectations,
): readonly Warning[] {
  if (!target || isLocalTarget(target) || sendsSystemPrompt(target)) return [];
  if (system_prompt === undefined && !hasSystemPrompts) return [];
  return [
    { pointer: "/system_prompt", message: "is not sent: the body of the target has no {{messages}} or {{system}}" },
  ];
}

/** The beginning of a warning about tool calls that cannot be seen. */
export const unseenCallsWarning = "does not show which tools the agent calls";

/** Expected calls that the endpoint has no way to show. Whether an agent reports its calls is known after the run. */
function unseenCallWarnings(settings: RunSettings, { callsExpected }: Expectations): readonly Warning[] {
  const reporting = callReporting(settings);
  if (reporting === "always" || reporting === "reported") return [];
  const { world, world_address, parameters } = settings;
  const hidesAll = reporting === "never" || !offersTools(settings);
  const offersOthers = Array.isArray(parameters?.extra?.["tools"]);
  const isUnseen = (hasWorld: boolean, hasTools: boolean): boolean =>
    !(world_address !== undefined && hasWorld) && (hidesAll || !(hasTools || offersOthers));
  let unseen = 0;
  if (isUnseen(world !== undefined, world !== undefined && offersOwnTools(world))) unseen += callsExpected.withoutWorld;
  if (isUnseen(true, true)) unseen += callsExpected.withTools;
  if (isUnseen(true, false)) unseen += callsExpected.withoutTools;
  if (unseen === 0) return [];
  const noun = unseen === 1 ? "scenario" : "scenarios";
  const remedy =
    reporting === "never"
      ? "name their place in tool_calls of the target"
      : "give the scenarios a world, or use a protocol that reports calls (agent, ag-ui, http with tool_calls)";
  const message = `${unseenCallsWarning}: the expected calls of ${unseen} ${noun} stay undecided, and gates on them do not pass; ${remedy}`;
  return [{ pointer: "/endpoint", message }];
}

const oneToken = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** A money limit has no effect when calls have no price. */
function budgetWarnings({ budget, model_id }: RunSettings, priceOf: PriceOf | undefined): readonly Warning[] {
  if (budget?.money === undefined || (priceOf?.({ model: null, usage: oneToken }) ?? null) !== null) return [];
  const model = JSON.stringify(model_id.slice(0, 80));
  return [
    {
      pointer: "/budget/money",
      message: `has no effect unless replies name a model with a known price: none is known for ${model} (set it in prices of rehearsal.yaml, or in REHEARSAL_PRICES_FILE)`,
    },
  ];
}

/** Turn rubrics need a judge of single replies. */
export function rubricWarnings(
  { judge }: Pick<ExpectingSettings, "judge">,
  { turnsWithRubrics: turns }: Expectations,
): readonly Warning[] {
  if (turns === 0 || (judge && judge.scope !== "conversation")) return [];
  const whose = `the rubrics of ${turns} ${turns === 1 ? "turn" : "turns"}`;
  return judge
    ? [{ pointer: "/judge/scope", message: `leaves ${whose} without a score: whole conversations are judged` }]
    : [{ pointer: "/judge", message: `is not set, so ${whose} have no score` }];
}

/** The rubric of an expected outcome needs a judge, and an outcome needs one conversation. */
export function outcomeWarnings(
  { judge, history }: Pick<ExpectingSettings, "judge" | "history">,
  { outcomeRubrics, expectsOutcomeOfTurns }: Expectations,
): readonly Warning[] {
  const warnings: Warning[] = [];
  if (!judge && outcomeRubrics > 0) {
    const noun = outcomeRubrics === 1 ? "scenario" : "scenarios";
    const message = `is not set, so the expected outcome of ${outcomeRubrics} ${noun} with a rubric stays undecided unless another part fails`;
    warnings.push({ pointer: "/judge", message });
  }
  if (history === "reference" && expectsOutcomeOfTurns) {
    const message =
      "makes every turn a conversation of its own, so expected outcomes are not those of one conversation";
    warnings.push({ pointer: "/history", message });
  }
  return warnings;
}

/** An expected call of a tool that the world does not have cannot be made; its name is probably misspelled. */
function toolNameWarnings({ unknownTools }: Expectations): readonly Warning[] {
  return Array.from(unknownTools, ([name, { scenarioId, suggestion }]) => {
    const message = `expects a call of "${name}" in scenario "${scenarioId}", but its world has no such tool`;
    return compact({ pointer: "/test_batch", message, suggestion });
  });
}

/** A turn without a reference reply is missing from the history of later turns. */
export function historyWarnings(
  { history, replay_first_bad_turn }: Pick<RunSettings, "history" | "replay_first_bad_turn">,
  { turnsWithoutReference: missing }: Expectations,
): readonly Warning[] {
  const showsReferences = history === "reference" || history === "both";
  if (missing === 0 || (!showsReferences && !replay_first_bad_turn)) return [];
  const turns = `${missing} ${missing === 1 ? "turn" : "turns"} without a reference reply`;
  const message = `leaves ${turns} out of the reference history that later turns are shown`;
  return [{ pointer: showsReferences ? "/history" : "/replay_first_bad_turn", message }];
}

/** A rule for a key that no interaction expects has no effect and is probably a typo. */
function labelRuleWarnings(
  { label_rules = {} }: Pick<RunSettings, "label_rules">,
  { labels }: Expectations,
): readonly Warning[] {
  const unused = Object.keys(label_rules).filter((key) => !labels.has(key));
  return unused.slice(0, mostWarnings).map((key) => {
    const suggestion = closestName(key, [...labels]);
    return compact({
      pointer: toPointer(["label_rules", key]),
      message: "has no effect: no interaction expects a label under this key",
      suggestion,
    });
  });
}

/** A gate on a score that the run cannot have always fails. */
export function gateWarnings(
  { scores = {}, scenario_scores = {}, not_worse_by = {} }: NonNullable<RunSettings["gate"]>,
  known: ReadonlySet<string>,
): readonly Warning[] {
  const margins = typeof not_worse_by === "number" ? {} : not_worse_by;
  const limits = Object.entries({ scores, scenario_scores, not_worse_by: margins }).flatMap(([field, named]) =>
    Object.keys(named).flatMap((name) => (field === "not_worse_by" && isFigure(name) ? [] : [{ field, name }])),
  );
  return limits
    .filter(({ name }) => !known.has(name))
    .slice(0, mostWarnings)
    .map(({ field, name }) => {
      const suggestion = closestName(name, [...known]);
      return compact({
        pointer: toPointer(["gate", field, name]),
        message: "is not a score of this run, so the gate cannot pass",
        suggestion,
      });
    });
}

/** Figures that only a comparison with a baseline can name. */
const isFigure = (name: string): boolean => name === passRateMeasure || ratioMeasures.has(name);
