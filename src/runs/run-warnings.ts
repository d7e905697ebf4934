import { toPointer } from "../base/json.ts";
import { nearestName } from "../base/text.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { referenceReply } from "../evaluation/conversation.ts";
import type { PriceOf } from "../evaluation/budget/helper-usage.ts";
import { turnRubrics } from "../evaluation/judges/judge-question.ts";
import type { CustomScorers } from "../evaluation/scorers/custom-scorer.ts";
import { gateWarnings } from "./gate-warnings.ts";

/** What of a run does not do what its author may think. */
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
    ...rubricWarnings(settings, scenarios),
    ...gateWarnings(settings, { scenarios, customScorers: Object.keys(customScorers) }),
  ];
}

/** Along the references every turn is a conversation of its own: what a judge is shown as one was never held. */
export function conversationWarnings(
  { judge, history }: Pick<RunSettings, "judge" | "history">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  if (judge?.scope !== "conversation" || history !== "reference") return [];
  if (scenarios.every(({ interactions }) => interactions.length < 2)) return [];
  const message =
    "judges replies together that were not said in one conversation: with reference history the model never saw its own";
  return [{ pointer: "/judge/scope", message }];
}

const oneToken = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** A limit on money stops nothing where calls have no price, which whoever sets one has to know. */
function budgetWarnings({ budget, model_id }: RunSettings, priceOf: PriceOf | undefined): readonly Warning[] {
  if (budget?.money === undefined || (priceOf?.({ model: null, usage: oneToken }) ?? null) !== null) return [];
  const model = JSON.stringify(model_id.slice(0, 80));
  return [
    {
      pointer: "/budget/money",
      message: `stops nothing unless replies name a model with a price: none is known for ${model} (REHEARSAL_PRICES_FILE gives it one)`,
    },
  ];
}

/** Rubrics of turns are for a judge of single replies; without one they say nothing, which nobody should find out from a missing score. */
export function rubricWarnings(
  { judge }: Pick<RunSettings, "judge">,
  scenarios: readonly Scenario[],
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

/** A turn without a reference has no place in a conversation along the references: the turns after it are asked as if it had never been. */
export function historyWarnings(
  { history, replay_first_bad_turn }: Pick<RunSettings, "history" | "replay_first_bad_turn">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  const isTaught = history === "reference" || history === "both";
  if (!isTaught && !replay_first_bad_turn) return [];
  const missing = scenarios
    .flatMap(({ interactions }) => interactions.slice(0, -1))
    .filter((turn) => referenceReply(turn) === null).length;
  if (missing === 0) return [];
  const turns = `${missing} ${missing === 1 ? "turn" : "turns"} without a reference reply`;
  return [
    {
      pointer: isTaught ? "/history" : "/replay_first_bad_turn",
      message: `leaves ${turns} out of the reference history that later turns are shown`,
    },
  ];
}

const mostWarnings = 20;

/** A rule for a key that no interaction expects changes nothing, which is most likely a slip of the pen. */
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
    const suggestion = nearestName(key, names);
    return {
      pointer: toPointer(["label_rules", key]),
      message: "changes nothing: no interaction expects a label under this key",
      ...(suggestion !== undefined && { suggestion }),
    };
  });
}
