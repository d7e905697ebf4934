import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import type { Outcome } from "../../src/contract/schemas/outcome.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { isEnded } from "../parts/runs/run-facts.ts";
import { outcomeInAttempt } from "./failures.ts";

/** The most runs whose replies are shown side by side. */
export const mostRunsBeside = 6;

/** Other runs of a test to read beside `run`: the newest run of each other model, then older ones. `runs` has the newest first. */
export function pickOtherRuns(runs: readonly Run[], run: Pick<Run, "run_id" | "model_id">): readonly Run[] {
  const others = runs.filter(({ run_id, state }) => run_id !== run.run_id && isEnded(state));
  const models = new Set([run.model_id]);
  const newest = others.filter(({ model_id }) => {
    const isFirst = !models.has(model_id);
    models.add(model_id);
    return isFirst;
  });
  return [...new Set([...newest, ...others])].slice(0, mostRunsBeside - 1);
}

interface ReplyOfRun {
  readonly turn: InteractionResult;
  readonly outcome: Outcome;
  readonly attempt: number;
  readonly attempts: number;
  /** Of the same attempt as the reply and the outcome; null without a score. */
  readonly overall: number | null;
}

interface WantedTurn {
  readonly scenarioId: string;
  /** Ids of turns are the same in all runs of a scenario. */
  readonly turnId: string;
  readonly attempt: number;
}

/** A run's reply to a turn: in the attempt of this number, else in the first that has the turn. */
export function replyOfRun(
  { results }: EvaluationResponse,
  { scenarioId, turnId, attempt }: WantedTurn,
): ReplyOfRun | null {
  const scenario = results.scenarios.find(({ scenario_id }) => scenario_id === scenarioId);
  const replies = (scenario?.attempts ?? []).flatMap((each) => {
    const turn = each.interactions.find(({ id }) => id === turnId);
    return turn ? [{ turn, attempt: each }] : [];
  });
  const found = replies.find((reply) => reply.attempt.attempt === attempt) ?? replies[0];
  if (!scenario || !found) return null;
  return {
    turn: found.turn,
    attempt: found.attempt.attempt,
    attempts: replies.length,
    outcome: outcomeInAttempt(found.turn, { attempt: found.attempt, threshold: scenario.threshold }),
    overall: found.turn.scores["overall"] ?? null,
  };
}
