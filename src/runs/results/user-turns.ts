import type { z } from "zod";
import { ServiceError, type FieldError } from "../../contract/errors/errors.ts";
import type { AttemptWithInteractions, RunRecord, Store } from "../../contract/ports/store.ts";
import type { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { FreezeRequest } from "../../contract/schemas/library.ts";
import { ScenarioInput, type Scenario } from "../../contract/schemas/scenario.ts";
import { userMessage } from "../../evaluation/conversation/conversation.ts";
import { refuseInvalid } from "../plan/fields-error.ts";

type FrozenScenario = z.output<typeof ScenarioInput>;

/** A scripted scenario with the messages that the user of an attempt sent, for example a simulated one. */
export async function freezeAttempt(
  run: RunRecord,
  { scenario_id, attempt, id }: FreezeRequest,
  store: Store,
): Promise<FrozenScenario> {
  const scenarios = await store.runs.scenarios(run.id);
  const index = scenarios.findIndex((scenario) => scenario.id === scenario_id);
  const scenario = scenarios[index];
  if (!scenario) throw missingTurn(`The run ${run.id} has no scenario "${scenario_id.slice(0, 80)}".`);
  for await (const stored of store.attempts.withInteractions(run.id, index)) {
    if (stored.attempt === attempt) return toScripted({ ...worldOf(run), ...scenario }, stored, { id, runId: run.id });
  }
  throw missingTurn(`The scenario "${scenario_id.slice(0, 80)}" of the run ${run.id} has no attempt ${attempt}.`);
}

/** The world of the run, for a scenario that has none of its own. A module stays in the configuration: no request may name one. */
function worldOf({ settings: { world } }: RunRecord): Pick<Scenario, "world"> {
  return world && world.module === undefined ? { world } : {};
}

function missingTurn(message: string): ServiceError {
  return new ServiceError("not_found", message, { hint: "GET /runs/{run_id}/scenarios lists scenarios and attempts." });
}

function toScripted(
  scenario: Scenario,
  { attempt, interactions: stored }: AttemptWithInteractions,
  { id, runId }: { id: string | undefined; runId: string },
): FrozenScenario {
  const { user: _user, interactions, description, ...rest } = scenario;
  const replies = new Map(stored.map(({ turn_index, reply }) => [turn_index, reply]));
  const turns = interactions.flatMap((interaction, turn) => {
    const { simulated, agent_reply: _reply, generated_metadata: _labels, ...input } = interaction;
    const reply = replies.get(turn);
    if (simulated && (!reply || reply.error?.code === "simulator_failed")) return [];
    return [{ ...input, user_message: userMessage(interaction, reply) }];
  });
  if (turns.length === 0) {
    throw new ServiceError("validation_failed", `Attempt ${attempt} has no message of the user to freeze.`, {
      hint: "Choose an attempt that has turns.",
    });
  }
  return ScenarioInput.parse({
    ...rest,
    id: id ?? `${scenario.id.slice(0, 230)}-attempt-${attempt}`,
    description:
      description === "" ? `Attempt ${attempt} of ${scenario.id}, with the user's messages as they were.` : description,
    metadata: { ...scenario.metadata, frozen_from: { run_id: runId, scenario_id: scenario.id, attempt } },
    interactions: turns,
  });
}

/**
 * The request with the messages that the simulated users of an earlier run sent, so that two agents can be compared with the same
 * users. Attempts that the simulator spoiled are left out.
 */
export async function withRecordedUsers(
  request: EvaluationRequest,
  recordedRun: RunRecord,
  store: Store,
): Promise<EvaluationRequest> {
  const known = await store.runs.scenarios(recordedRun.id);
  const problems: FieldError[] = [];
  const isList = Array.isArray(request.test_batch);
  const batch = [request.test_batch].flat();
  if (batch.every(({ user }) => !user)) {
    problems.push({ pointer: "/replay_users", code: "conflict", message: "has no effect: no scenario has a user" });
  }
  const replayed = await Promise.all(
    batch.map(async (scenario) => {
      if (!scenario.user) return scenario;
      const index = known.findIndex(({ id }) => id === scenario.id);
      const recorded = index === -1 ? [] : await userMessagesOf(recordedRun.id, index, store);
      if (recorded.length > 0) return { ...scenario, user: { ...scenario.user, recorded } };
      const message = `has no whole conversation of the scenario "${scenario.id.slice(0, 80)}" with a sound user`;
      problems.push({ pointer: "/replay_users", code: "not_found", message, received: recordedRun.id });
      return scenario;
    }),
  );
  refuseInvalid(problems);
  const { replay_users: _, ...rest } = request;
  return { ...rest, test_batch: isList ? replayed : replayed[0]! };
}

async function userMessagesOf(runId: string, scenario: number, store: Store): Promise<string[][]> {
  const recorded: string[][] = [];
  for await (const { interactions } of store.attempts.withInteractions(runId, scenario)) {
    const end = interactions.findLast(({ scores }) => scores?.conversation?.user)?.scores?.conversation?.user;
    if (!end || end.failure) continue;
    const messages = interactions.flatMap(({ reply }) => (reply.user_turn ? [reply.user_turn.message] : []));
    if (messages.length > 0) recorded.push(messages);
  }
  return recorded;
}
