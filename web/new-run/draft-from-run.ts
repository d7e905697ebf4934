import type { EvaluationResponse } from "../../src/contract/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/interaction-result.ts";
import { emptyDraft, type RunDraft } from "./run-draft.ts";

/** A draft that repeats a finished run: its scenarios are read back from the results. */
export function draftFromRun(results: EvaluationResponse, { ownOrigin }: { ownOrigin: string }): RunDraft {
  const scenarios = results.results.scenarios.map((scenario) => ({
    id: scenario.scenario_id,
    ...(scenario.description && { description: scenario.description }),
    interactions: longestAttempt(scenario.attempts.map((attempt) => attempt.interactions)).map(toInput),
  }));
  return {
    ...emptyDraft,
    name: results.test_name,
    endpoint: results.endpoint,
    protocol: isOwnAgent(results.endpoint, ownOrigin) ? "agent" : emptyDraft.protocol,
    history: results.history === "generated" ? "" : (results.history ?? ""),
    model: results.model_id,
    attempts: String(Math.max(1, ...results.results.scenarios.map((scenario) => scenario.attempts.length))),
    scenarios: JSON.stringify(scenarios.length === 1 ? scenarios[0] : scenarios, null, 2),
  };
}

/** The backend that serves this page is spoken to in its own way, unless an address below it was named. */
function isOwnAgent(endpoint: string, ownOrigin: string): boolean {
  const url = URL.parse(endpoint);
  return url?.origin === ownOrigin && url.pathname === "/";
}

/** A stopped attempt has fewer turns than the scenario. */
const longestAttempt = (attempts: readonly InteractionResult[][]): InteractionResult[] =>
  attempts.reduce((longest, turns) => (turns.length > longest.length ? turns : longest), []);

const toInput = (result: InteractionResult) => ({
  id: result.id,
  user_message: result.user_message,
  reference_reply: result.reference_reply,
  ...(result.references && { references: result.references }),
  interaction_type: result.interaction_type,
  reference_metadata: result.reference_metadata,
});
