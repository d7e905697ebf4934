import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import type { PriceOf } from "../evaluation/helper-usage.ts";
import type { CustomScorers } from "../evaluation/scorers/custom-scorer.ts";
import { budgetWarnings } from "./budget-warnings.ts";
import { conversationWarnings } from "./conversation-warnings.ts";
import { gateWarnings } from "./gate-warnings.ts";
import { historyWarnings } from "./history-warnings.ts";
import { labelRuleWarnings } from "./label-rule-warnings.ts";
import { rubricWarnings } from "./rubric-warnings.ts";

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
