import { createHash } from "node:crypto";
import type { AttemptResult, EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { outcomeOfAttempt, type Outcome } from "../../contract/schemas/outcome.ts";
import { portOf } from "../../models/outbound/endpoint-policy.ts";
import { inputMessages, outputMessages } from "../../services/agent/observers/trace-turns.ts";
import type { OtlpSettings } from "../../settings/telemetry-settings.ts";
import { version } from "../terminal/version.ts";
import type { SendJson } from "./json-sender.ts";
import { integer, nanoseconds, toAttributes, type OtlpAttribute, type OtlpSpan } from "./otlp-values.ts";

/** Collectors accept a few megabytes per request. */
const recordsPerRequest = 500;

/** Sends a run as spans, and its scores as events, over OTLP/HTTP in JSON. */
export async function sendOtlp(
  response: EvaluationResponse,
  { settings, send }: { settings: OtlpSettings; send: SendJson },
): Promise<void> {
  const { traces, logs, captureContent } = settings;
  const { traceId, spans, turns } = toSpans(response, { captureContent });
  const events = toScoreEvents(turns, { traceId, captureContent });
  const resource = { attributes: toAttributes({ "service.version": version, ...settings.resource }) };
  const scope = { name: "rehearsal", version };
  const headers = Object.fromEntries(Object.entries(settings.headers).map(([name, value]) => [name, value.reveal()]));

  for (const part of inParts(traces === null ? [] : spans)) {
    const body = { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: part }] }] };
    await send({ url: traces ?? "", headers, body });
  }
  for (const part of inParts(logs === null ? [] : events)) {
    const body = { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: part }] }] };
    await send({ url: logs ?? "", headers, body });
  }
}

/**
 * A run as a trace, by OpenTelemetry's conventions for tests and generative AI: a span for the run, its attempts, and a
 * `chat` call for each turn. Only durations are stored, so the turns of each attempt are placed one after another from the
 * start of the run.
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

/** One trace per run. A run's id has the length of a trace id, so the trace is found by it. */
export function traceIdOf(runId: string): string {
  const digits = runId.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : createHash("sha256").update(runId).digest("hex").slice(0, 32);
}

/** Derived from the place in the run, so that sending it again creates no duplicates. */
export function spanIdOf(...place: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 16);
}

/** One turn of a run and its span. */
interface SpannedTurn {
  readonly turn: InteractionResult;
  readonly spanId: string;
  readonly endMs: number;
}

/** An attempt at a scenario: one conversation. */
interface ConversationSpans extends Pick<AttemptResult, "attempt" | "interactions"> {
  readonly scenarioId: string;
  readonly spanId: string;
  readonly startMs: number;
  readonly outcome: Outcome;
}

function conversationsOf(response: EvaluationResponse): ConversationSpans[] {
  const startMs = startOf(response);
  return response.results.scenarios.flatMap((scenario) => {
    return scenario.attempts.map((result) => ({
      attempt: result.attempt,
      interactions: result.interactions,
      scenarioId: scenario.scenario_id,
      spanId: spanIdOf(response.run_id, scenario.scenario_id, result.attempt),
      startMs,
      outcome: outcomeOfAttempt(result, scenario.threshold),
    }));
  });
}

interface PlacedTurn extends SpannedTurn {
  readonly startMs: number;
}

function placeTurns(conversation: ConversationSpans, { run_id }: EvaluationResponse): PlacedTurn[] {
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

function attemptSpan(conversation: ConversationSpans, { run_id }: EvaluationResponse): OtlpSpan {
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
  options: { response: EvaluationResponse; conversation: ConversationSpans; captureContent: boolean },
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
      ...(captureContent && spanContent(turn)),
    }),
    status: turn.error ? { code: 2, message: turn.error.detail } : { code: 0 },
  };
}

const startOf = ({ timing }: EvaluationResponse): number =>
  Date.parse(timing.started_at ?? timing.finished_at ?? "") || 0;

function times(startMs: number, durationMs: number): Pick<OtlpSpan, "startTimeUnixNano" | "endTimeUnixNano"> {
  return { startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(startMs + durationMs) };
}

/** The user's message and the reply, if there is one. */
function spanContent({ user_message, agent_reply, error, finish_reason }: InteractionResult): Record<string, string> {
  const asked = { "gen_ai.input.messages": inputMessages([{ role: "user", content: user_message }]) };
  if (error) return asked;
  const said = { text: agent_reply, tool_calls: [], finish_reason: finish_reason ?? "stop" };
  return { ...asked, "gen_ai.output.messages": outputMessages(said) };
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += recordsPerRequest)
    yield items.slice(start, start + recordsPerRequest);
}

/** A log record in OTLP's JSON form; with an event name it is an event. */
interface OtlpEvent {
  readonly timeUnixNano: string;
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** A `gen_ai.evaluation.result` event for every score of every turn, on the span of its call. */
function toScoreEvents(
  turns: readonly SpannedTurn[],
  { traceId, captureContent }: { traceId: string; captureContent: boolean },
): OtlpEvent[] {
  return turns.flatMap(({ turn, spanId, endMs }) =>
    Object.entries(turn.scores).map(([name, value]) => ({
      timeUnixNano: nanoseconds(endMs),
      eventName: "gen_ai.evaluation.result",
      traceId,
      spanId,
      attributes: toAttributes({
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": value,
        // Explanations quote the reply.
        "gen_ai.evaluation.explanation": captureContent ? turn.score_reasons[name] : null,
        "error.type": turn.error?.code,
      }),
    })),
  );
}
