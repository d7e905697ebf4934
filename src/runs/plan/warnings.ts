import { toPointer } from "../../base/json.ts";
import { closestName } from "../../base/text.ts";
import { actsInWorld, callReporting, isLocalTarget, offersTools } from "../../contract/schemas/acting/target.ts";
import type { History, JudgeSettings, Protocol, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { ScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { passRateMeasure, ratioMeasures } from "../../contract/schemas/margins.ts";
import type { Warning } from "../../contract/schemas/problem.ts";
import { expectsSomething, type Scenario } from "../../contract/schemas/scenario.ts";
import type { PriceOf } from "../../evaluation/budget/helper-usage.ts";
import { referenceReply } from "../../evaluation/conversation.ts";
import { judgeQuestions, turnRubrics } from "../../evaluation/judges/judge-question.ts";
import { scorerNames } from "../../scoring/scorers/scores.ts";
import type { CustomScorers } from "../../evaluation/scorers/custom-scorer.ts";
import { hasToolRules } from "../../evaluation/tools/outcome.ts";
import { sendsSystemPrompt } from "../../models/targets/template.ts";
import { runScoreNames, type ScoredScenario, type ScoreSources } from "./score-names.ts";

/** The most warnings of one kind. */
const mostWarnings = 20;

/** Warns about settings that have no effect, or a surprising one. */
export function runWarnings(
  settings: RunSettings,
  {
    scenarios,
    priceOf,
    customScorers = {},
  }: { scenarios: readonly Scenario[]; priceOf: PriceOf | undefined; customScorers?: CustomScorers | undefined },
): readonly Warning[] {
  return [
    ...budgetWarnings(settings, priceOf),
    ...conversationWarnings(settings, scenarios),
    ...historyWarnings(settings, scenarios),
    ...labelRuleWarnings(settings, scenarios),
    ...expectationWarnings(settings, { scenarios, customScorers: Object.keys(customScorers) }),
    ...simulatedUserWarnings(settings, scenarios),
    ...agentWorldWarnings(settings, scenarios),
    ...targetWarnings(settings, scenarios),
    ...unseenCallWarnings(settings, scenarios),
    ...toolNameWarnings(settings, scenarios),
    ...gateWarnings(settings, { scenarios, customScorers: Object.keys(customScorers) }),
  ];
}

interface ExpectingSettings {
  readonly judge?: JudgeSettings | undefined;
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly history?: History | undefined;
  readonly protocol?: Protocol | undefined;
}

/** Warns about scenarios that nothing can pass or fail, which is known before the first call. */
export function expectationWarnings(settings: ExpectingSettings, sources: ScoreSources): readonly Warning[] {
  return [
    ...silentWarnings(settings, sources),
    ...rubricWarnings(settings, sources.scenarios),
    ...outcomeWarnings(settings, sources.scenarios),
  ];
}

/** Scenarios that expect nothing, in a run whose own scorers and judge need an expectation. */
function silentWarnings(
  { judge, scorers = [], protocol }: ExpectingSettings,
  { scenarios, customScorers }: ScoreSources,
): readonly Warning[] {
  const scoresAll =
    // People judge recorded replies.
    protocol === "recorded" ||
    customScorers.length > 0 ||
    scorers.some((setting) => typeof setting !== "string" || !scorerNames.includes(setting)) ||
    (judge !== undefined && judgeQuestions(judge).some(({ needsReference }) => !needsReference));
  if (scoresAll) return [];
  const silent = scenarios.filter(
    ({ expect, user, interactions }) => !expect && !user && interactions.every((turn) => !expectsSomething(turn)),
  );
  if (silent.length === 0) return [];
  const ids = silent.slice(0, 3).map(({ id }) => JSON.stringify(id.slice(0, 80)));
  const shown = `${ids.join(", ")}${silent.length > ids.length ? ", …" : ""}`;
  const noun = silent.length === 1 ? "scenario that expects" : "scenarios that expect";
  const message = `has ${silent.length} ${noun} nothing (${shown}): only whether a reply comes can be seen, so they neither pass nor fail`;
  return [{ pointer: "/test_batch", message }];
}

/** With reference history every turn is a separate conversation, so the one shown to the judge never took place. */
export function conversationWarnings(
  { judge, history }: Pick<RunSettings, "judge" | "history">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  if (judge?.scope !== "conversation" || history !== "reference") return [];
  if (scenarios.every(({ interactions }) => interactions.length < 2)) return [];
  const message =
    "judges replies together that were not given in one conversation: with reference history the model never sees its own";
  return [{ pointer: "/judge/scope", message }];
}

/** Without `expect`, the outcome of a simulated conversation says only that it ended. A user of the tested model itself is no stranger. */
function simulatedUserWarnings(settings: RunSettings, scenarios: readonly Scenario[]): readonly Warning[] {
  const { simulator, model_id, endpoint } = settings;
  const users = scenarios.filter(({ user }) => user);
  const open = users.filter(({ expect }) => !expect).length;
  const ids = users.flatMap(({ id, expect }) => (expect ? [] : [JSON.stringify(id.slice(0, 80))])).slice(0, 3);
  const isSame = simulator?.model_id === model_id && simulator.endpoint === endpoint;
  return [
    ...(open > 0
      ? [
          {
            pointer: "/test_batch",
            message: `has ${open} ${open === 1 ? "scenario" : "scenarios"} with a simulated user and no expect (${ids.join(", ")}): outcome says there only whether the user ended the conversation`,
          },
        ]
      : []),
    ...(isSame && users.length > 0
      ? [
          {
            pointer: "/simulator/model_id",
            message: "is the model under test: it plays both sides of the conversation",
          },
        ]
      : []),
  ];
}

/** An agent has tools of its own, so it is offered none. Recorded replies have used theirs. */
function agentWorldWarnings(settings: RunSettings, scenarios: readonly Scenario[]): readonly Warning[] {
  const { target, world, protocol } = settings;
  if (protocol === "recorded" || actsInWorld(settings) || (!world && scenarios.every((scenario) => !scenario.world)))
    return [];
  const place = target ? "world of the target" : "world_address";
  const message = `leaves the tools of the world unused: an agent calls its own, and the final state stays unknown, unless ${place} says how it gets the address of the world`;
  return [{ pointer: target ? "/endpoint" : "/protocol", message }];
}

/** A system prompt that a target has no place for would change nothing. */
function targetWarnings({ target, system_prompt }: RunSettings, scenarios: readonly Scenario[]): readonly Warning[] {
  if (!target || isLocalTarget(target) || sendsSystemPrompt(target)) return [];
  if (system_prompt === undefined && scenarios.every((scenario) => scenario.system_prompt === undefined)) return [];
  return [
    { pointer: "/system_prompt", message: "is not sent: the body of the target has no {{messages}} or {{system}}" },
  ];
}

/** The beginning of a warning about tool calls that cannot be seen. */
export const unseenCallsWarning = "does not show which tools the agent calls";

/** Expected calls that the endpoint has no way to show. Whether an agent reports its calls is known after the run. */
function unseenCallWarnings(settings: RunSettings, scenarios: readonly Scenario[]): readonly Warning[] {
  const reporting = callReporting(settings);
  if (reporting === "always" || reporting === "reported") return [];
  const isOffered = (world: Scenario["world"]): boolean =>
    (world?.tools ?? []).length > 0 ||
    world?.module !== undefined ||
    Array.isArray(settings.parameters?.extra?.["tools"]);
  const unseen = scenarios.filter(({ world = settings.world, expect, interactions }) => {
    const isExpecting = interactions.some((turn) => turn.reference_tool_calls) || (expect && hasToolRules(expect));
    if (!isExpecting) return false;
    if (settings.world_address !== undefined && world) return false;
    return reporting === "never" || !offersTools(settings) || !isOffered(world);
  }).length;
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
  scenarios: readonly ScoredScenario[],
): readonly Warning[] {
  if (judge && judge.scope !== "conversation") return [];
  const turns = scenarios
    .flatMap(({ interactions }) => interactions)
    .filter((turn) => turnRubrics(turn).length > 0).length;
  if (turns === 0) return [];
  const whose = `the rubrics of ${turns} ${turns === 1 ? "turn" : "turns"}`;
  return judge
    ? [{ pointer: "/judge/scope", message: `leaves ${whose} without a score: whole conversations are judged` }]
    : [{ pointer: "/judge", message: `is not set, so ${whose} have no score` }];
}

/** The rubric of an expected outcome needs a judge, and an outcome needs one conversation. */
export function outcomeWarnings(
  { judge, history }: Pick<ExpectingSettings, "judge" | "history">,
  scenarios: readonly ScoredScenario[],
): readonly Warning[] {
  const expecting = scenarios.filter(({ expect }) => expect !== undefined);
  const undecided = judge ? 0 : expecting.filter(({ expect }) => expect?.rubric !== undefined).length;
  const noun = undecided === 1 ? "scenario" : "scenarios";
  const isSplit = history === "reference" && expecting.some(({ interactions }) => interactions.length > 1);
  return [
    ...(undecided > 0
      ? [
          {
            pointer: "/judge",
            message: `is not set, so the expected outcome of ${undecided} ${noun} with a rubric stays undecided unless another part fails`,
          },
        ]
      : []),
    ...(isSplit
      ? [
          {
            pointer: "/history",
            message:
              "makes every turn a conversation of its own, so expected outcomes are not those of one conversation",
          },
        ]
      : []),
  ];
}

/** An expected call of a tool that the world does not have cannot be made; its name is probably misspelled. */
function toolNameWarnings(settings: Pick<RunSettings, "world">, scenarios: readonly Scenario[]): readonly Warning[] {
  const warnings = new Map<string, Warning>();
  for (const { id, world = settings.world, interactions, expect } of scenarios) {
    if (!world) continue;
    const names = world.tools.map(({ name }) => name);
    const called = [
      ...interactions.flatMap(({ reference_tool_calls = [] }) => reference_tool_calls),
      ...(expect?.must_call ?? []),
    ].map((pattern) => (typeof pattern === "string" ? pattern : pattern.name));
    for (const name of called) {
      if (names.includes(name) || warnings.has(name) || warnings.size >= mostWarnings) continue;
      const suggestion = closestName(name, names);
      const message = `expects a call of "${name}" in scenario "${id}", but its world has no such tool`;
      warnings.set(name, { pointer: "/test_batch", message, ...(suggestion !== undefined && { suggestion }) });
    }
  }
  return [...warnings.values()];
}

/** A turn without a reference reply is missing from the history of later turns. */
export function historyWarnings(
  { history, replay_first_bad_turn }: Pick<RunSettings, "history" | "replay_first_bad_turn">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  const showsReferences = history === "reference" || history === "both";
  if (!showsReferences && !replay_first_bad_turn) return [];
  const missing = scenarios
    .flatMap(({ interactions }) => interactions.slice(0, -1))
    .filter((turn) => referenceReply(turn) === null).length;
  if (missing === 0) return [];
  const turns = `${missing} ${missing === 1 ? "turn" : "turns"} without a reference reply`;
  return [
    {
      pointer: showsReferences ? "/history" : "/replay_first_bad_turn",
      message: `leaves ${turns} out of the reference history that later turns are shown`,
    },
  ];
}

/** A rule for a key that no interaction expects has no effect and is probably a typo. */
function labelRuleWarnings(
  { label_rules = {} }: Pick<RunSettings, "label_rules">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  const unused = new Set(Object.keys(label_rules));
  if (unused.size === 0) return [];
  const expected = new Set<string>();
  for (const { interactions } of scenarios) {
    for (const { reference_metadata } of interactions) {
      for (const key of Object.keys(reference_metadata)) {
        expected.add(key);
        unused.delete(key);
      }
    }
  }
  const names = [...expected];
  return [...unused].slice(0, mostWarnings).map((key) => {
    const suggestion = closestName(key, names);
    return {
      pointer: toPointer(["label_rules", key]),
      message: "has no effect: no interaction expects a label under this key",
      ...(suggestion !== undefined && { suggestion }),
    };
  });
}

type GatedSettings = Pick<RunSettings, "gate" | "scorers" | "judge">;

/** A gate on a score that the run cannot have always fails. */
export function gateWarnings(settings: GatedSettings, sources: ScoreSources): readonly Warning[] {
  const { scores = {}, scenario_scores = {}, not_worse_by = {} } = settings.gate ?? {};
  const margins = typeof not_worse_by === "number" ? {} : not_worse_by;
  const limits = Object.entries({ scores, scenario_scores, not_worse_by: margins }).flatMap(([field, named]) =>
    Object.keys(named).flatMap((name) => (field === "not_worse_by" && isFigure(name) ? [] : [{ field, name }])),
  );
  if (limits.length === 0) return [];
  const known = runScoreNames(settings, sources);
  return limits
    .filter(({ name }) => !known.has(name))
    .slice(0, mostWarnings)
    .map(({ field, name }) => {
      const suggestion = closestName(name, [...known]);
      return {
        pointer: toPointer(["gate", field, name]),
        message: "is not a score of this run, so the gate cannot pass",
        ...(suggestion !== undefined && { suggestion }),
      };
    });
}

/** Figures that only a comparison with a baseline can name. */
const isFigure = (name: string): boolean => name === passRateMeasure || ratioMeasures.has(name);
