import type { AttemptResult, EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { attemptOutcome, thresholdOf, type Outcome } from "../../contract/schemas/outcome.ts";
import { portOf } from "../../models/outbound/endpoint-policy.ts";
import { inputMessages, outputMessages } from "../../services/agent/observers/traced-messages.ts";
import { integer, nanoseconds, toAttributes, type OtlpAttribute } from "./otlp-values.ts";
import { spanIdOf, traceIdOf } from "./run-ids.ts";

/** A span in OTLP's JSON form. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: 0 | 2; readonly message?: string };
}

/** One turn of a run and where it stands in its trace. */
export interface SpannedTurn {
  readonly turn: InteractionResult;
  readonly spanId: string;
  readonly endMs: number;
}

/** An attempt at a scenario, which is a conversation of its own. */
interface Conversation extends Pick<AttemptResult, "attempt" | "interactions"> {
  readonly scenarioId: string;
  readonly spanId: string;
  readonly startMs: number;
  readonly outcome: Outcome;
}

/**
 * A run as a trace, by OpenTelemetry's conventions for tests and for generative AI: the run, in it every attempt at a
 * scenario, in it a `chat` call for each turn. Only durations are stored, so the turns of an attempt follow each other from
 * the start of the run.
 */
export function toSpans(
  response: EvaluationResponse,
  { captureContent }: { captureContent: boolean },
): { traceId: string; spans: OtlpSpan[]; turns: SpannedTurn[] } {
  const conversations = conversationsOf(response);
  const calls = conversations.flatMap((conversation) =>
    placeTurns(conversation, response).map((placed) => ({
      ...placed,
      span: turnSpan(placed, { response, conversation, captureContent }),
    })),
  );
  const attempts = conversations.map((conversation) => attemptSpan(conversation, response));
  return {
    traceId: traceIdOf(response.run_id),
    spans: [runSpan(response), ...attempts, ...calls.map(({ span }) => span)],
    turns: calls.map(({ turn, spanId, endMs }) => ({ turn, spanId, endMs })),
  };
}

function conversationsOf(response: EvaluationResponse): Conversation[] {
  const startMs = startOf(response);
  return response.results.scenarios.flatMap((scenario) => {
    const threshold = thresholdOf(scenario);
    return scenario.attempts.map(({ attempt, interactions, average_scores }) => ({
      attempt,
      interactions,
      scenarioId: scenario.scenario_id,
      spanId: spanIdOf(response.run_id, scenario.scenario_id, attempt),
      startMs,
      outcome: attemptOutcome(average_scores, threshold),
    }));
  });
}

interface PlacedTurn extends SpannedTurn {
  readonly startMs: number;
}

function placeTurns(conversation: Conversation, { run_id }: EvaluationResponse): PlacedTurn[] {
  const { scenarioId, attempt, interactions } = conversation;
  let startMs = conversation.startMs;
  return interactions.map((turn) => {
    const placed = {
      turn,
      spanId: spanIdOf(run_id, scenarioId, attempt, turn.id),
      startMs,
      endMs: startMs + turn.latency_ms,
    };
    startMs = placed.endMs;
    return placed;
  });
}

function runSpan(response: EvaluationResponse): OtlpSpan {
  const { run_id, test_name, model_id, state, timing, demo, message } = response;
  const ended = state === "completed";
  return {
    traceId: traceIdOf(run_id),
    spanId: spanIdOf(run_id),
    name: `evaluate ${test_name}`,
    kind: 1,
    ...times(startOf(response), timing.duration_ms),
    attributes: toAttributes({
      "test.suite.name": test_name,
      "test.suite.run.status": ended ? "success" : "aborted",
      "gen_ai.request.model": model_id,
      "rehearsal.run.id": run_id,
      "rehearsal.demo": demo,
    }),
    status: ended ? { code: 0 } : { code: 2, message },
  };
}

function attemptSpan(conversation: Conversation, { run_id }: EvaluationResponse): OtlpSpan {
  const { scenarioId, spanId, attempt, startMs, interactions, outcome } = conversation;
  const durationMs = interactions.reduce((sum, { latency_ms }) => sum + latency_ms, 0);
  return {
    traceId: traceIdOf(run_id),
    spanId,
    parentSpanId: spanIdOf(run_id),
    name: `attempt ${scenarioId}`,
    kind: 1,
    ...times(startMs, durationMs),
    attributes: toAttributes({
      "test.case.name": scenarioId,
      "test.case.result.status": outcome === "unscored" ? null : outcome === "passed" ? "pass" : "fail",
      "gen_ai.conversation.id": spanId,
      "rehearsal.attempt": integer(attempt),
    }),
    status: { code: 0 },
  };
}

function turnSpan(
  { turn, spanId, startMs }: PlacedTurn,
  options: { response: EvaluationResponse; conversation: Conversation; captureContent: boolean },
): OtlpSpan {
  const { response, conversation, captureContent } = options;
  const target = URL.parse(response.endpoint);
  return {
    traceId: traceIdOf(response.run_id),
    spanId,
    parentSpanId: conversation.spanId,
    name: `chat ${response.model_id}`,
    kind: 3,
    ...times(startMs, turn.latency_ms),
    attributes: toAttributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": response.model_id,
      "gen_ai.response.model": turn.model,
      "gen_ai.conversation.id": conversation.spanId,
      "gen_ai.usage.input_tokens": integer(turn.usage?.input_tokens),
      "gen_ai.usage.output_tokens": integer(turn.usage?.output_tokens),
      "gen_ai.response.finish_reasons": turn.finish_reason === null ? null : [turn.finish_reason],
      "server.address": target?.hostname,
      "server.port": integer(target ? portOf(target) : null),
      "error.type": turn.error?.code,
      "rehearsal.interaction.id": turn.id,
      ...(captureContent && contentOf(turn)),
    }),
    status: turn.error ? { code: 2, message: turn.error.detail } : { code: 0 },
  };
}

const startOf = ({ timing }: EvaluationResponse): number =>
  Date.parse(timing.started_at ?? timing.finished_at ?? "") || 0;

function times(startMs: number, durationMs: number): Pick<OtlpSpan, "startTimeUnixNano" | "endTimeUnixNano"> {
  return { startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(startMs + durationMs) };
}

/** What was asked and, where there was a reply, what came back. */
function contentOf({ user_message, agent_reply, error, finish_reason }: InteractionResult): Record<string, string> {
  const asked = { "gen_ai.input.messages": inputMessages([{ role: "user", content: user_message }]) };
  if (error) return asked;
  const said = { text: agent_reply, tool_calls: [], finish_reason: finish_reason ?? "stop" };
  return { ...asked, "gen_ai.output.messages": outputMessages(said) };
}
