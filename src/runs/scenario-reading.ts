import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { AttemptResult, ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { createDrift } from "../evaluation/summary/drift.ts";
import { createScenarioSummary } from "../evaluation/summary/summarize-scenario.ts";
import type { AttemptResults } from "./attempt-result.ts";
import { checksOf } from "./figure-run.ts";

/** What a scenario's results say besides its attempts. */
export type ScenarioAbout = Omit<ScenarioResult, "attempts" | "reference_attempts">;

/** Takes the attempts at a scenario one by one and keeps none of their texts. */
export interface ScenarioReading {
  add(results: AttemptResults): void;
  finish(): ScenarioAbout;
}

export function readScenario(scenario: Scenario, settings: RunSettings): ScenarioReading {
  const { threshold, label_rules } = settings;
  const { tags } = scenario;
  const summary = createScenarioSummary({ threshold, label_rules, tags, checks: checksOf(settings, [scenario]) });
  const drift = createDrift();
  let skipped = 0;
  return {
    add({ attempt, reference, conversation }) {
      const { interactions, unfinished } = attempt;
      if (!isShown(attempt, settings)) skipped += 1;
      if (interactions.length === 0) return;
      summary.add({ interactions, conversation: conversation?.scores, unfinished });
      if (reference) drift.add({ generated: interactions, reference: reference.interactions });
    },
    finish() {
      const gap = drift.finish();
      return {
        scenario_id: scenario.id,
        description: scenario.description,
        ...(scenario.system_prompt !== undefined && { system_prompt: scenario.system_prompt }),
        ...(threshold !== undefined && { threshold }),
        ...summary.finish(),
        ...(gap && { drift: gap }),
        ...(skipped > 0 && { attempts_skipped: skipped }),
      };
    },
  };
}

/** The same attempt with reference history: nothing to compare it with is nothing to show. */
export function shownReference({ attempt, reference }: AttemptResults): AttemptResult | null {
  return attempt.interactions.length > 0 ? reference : null;
}

/** Attempts left out for the budget, or in earlier versions by their scores, have nothing to show. Any other run lists every attempt. */
export function isShown({ interactions }: AttemptResult, { adaptive, budget }: RunSettings): boolean {
  return interactions.length > 0 || (adaptive === undefined && budget === undefined);
}
