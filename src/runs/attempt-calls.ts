import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { helperCalls } from "../evaluation/budget/helper-calls.ts";
import { plannedPasses } from "./passes.ts";

/** The calls that an attempt is planned to take, if every turn is answered: its own, and those that help to score it. */
interface AttemptCalls {
  /** Those of scoring the turn with this index. */
  ofScoring(index: number): number;
  /** Those from here on, with these turns done and scored. */
  left(done: { has(index: number): boolean }): number;
}

export function attemptCalls(scenario: Scenario, settings: RunSettings): AttemptCalls {
  const { judge, labeller } = settings;
  const { interactions } = scenario;
  const ofWhole = judge?.scope === "conversation" ? helperCalls({ scenarios: [scenario], judge }).judge : 0;
  const ofTurns = interactions.map((interaction) => {
    const scenarios = [{ ...scenario, interactions: [interaction] }];
    const calls = helperCalls({ scenarios, labeller, ...(judge?.scope !== "conversation" && { judge }) });
    return calls.judge + calls.labeller;
  });
  const ofScoring = (index: number): number => ofTurns[index % interactions.length] ?? 0;

  return {
    ofScoring,
    left(done) {
      const indexes = Array.from({ length: interactions.length * plannedPasses(settings) }, (_, index) => index);
      const missing = indexes.filter((index) => !done.has(index));
      return missing.reduce((sum, index) => sum + 1 + ofScoring(index), ofWhole);
    },
  };
}
