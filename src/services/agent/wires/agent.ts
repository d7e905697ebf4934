import type { Context } from "hono";
import type { Logger } from "pino";
import type { ToolRun } from "../../../agent/loop/agent-outcome.ts";
import { withTimeoutOrNull } from "../../../base/deadline.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import type { StoredAnswer } from "../../../contract/ports/agent-memory.ts";
import type { AgentStreamEvents } from "../../../contract/schemas/agent-stream.ts";
import { toProblem } from "../../../contract/schemas/problem.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { KeyedTurn } from "../turns/idempotent-turns.ts";
import { toAnswer, turnHeaders } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";
import { crashReporter, openStream } from "./answer-stream.ts";

interface AnswerOptions {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** True for server-sent events, false for JSON. */
  readonly events: boolean;
  readonly log: Logger;
  readonly patienceMs: number;
}

/** Answers with the last message of the turn, as JSON or as events. */
export async function answerTurn(
  context: Context<ShellEnvironment>,
  started: Promise<KeyedTurn>,
  { signal, events, log, patienceMs }: AnswerOptions,
): Promise<Response> {
  const begun = started.then((keyed) => {
    if (keyed.kind === "turn") keyed.turn.watch(signal);
    return keyed;
  });
  if (!events) return answerInJson(context, await begun);
  const requestId = context.get("requestId");
  const write = (stream: EventWriter, keyed: KeyedTurn): void => {
    if (keyed.kind === "answer") return sendStored(stream, keyed.answer);
    const { turn } = keyed;
    sendTurn(stream, turn, { requestId, onCrash: crashReporter({ log, requestId, turn }) });
  };
  const fail = (stream: EventWriter, error: unknown) =>
    sendError(stream, crashReporter({ log, requestId })(error), requestId);

  const keyed = await withTimeoutOrNull(begun, patienceMs);
  if (!keyed) return openStream(context, begun, { write, fail });
  const stream = new EventWriter();
  write(stream, keyed);
  const known = keyed.kind === "answer" ? keyed.answer.headers : turnHeaders(keyed.turn);
  return answerEvents(context, stream, { ...known, ...replayedHeader(keyed) });
}

async function answerInJson(context: Context<ShellEnvironment>, keyed: KeyedTurn): Promise<Response> {
  const { reply, headers } = keyed.kind === "answer" ? keyed.answer : toAnswer(keyed.turn, await keyed.turn.outcome);
  return answerJson(context, reply, { ...headers, ...replayedHeader(keyed) });
}

function replayedHeader(keyed: KeyedTurn): Record<string, string> {
  return keyed.kind === "answer" || keyed.replayed ? { "idempotent-replayed": "true" } : {};
}

/**
 * Sends a turn as the events of POST /: `run-start`, `text-delta`, `reasoning-delta`, `tool-start`, `tool-end`, and last either
 * `run-end`, whose `message` is the JSON answer, or `error`, which is the problem document.
 */
function sendTurn(
  stream: EventWriter,
  turn: Turn,
  { requestId, onCrash }: { requestId: string; onCrash: (error: unknown) => ServiceError },
): void {
  let hasText = false;
  sendEvent(stream, "run-start", { run_id: turn.runId, model_resolved: turn.resolved });
  turn.listen((event) => {
    if (event.type === "text-delta") {
      hasText = true;
      sendEvent(stream, event.type, { call: event.call, text: event.text });
    } else if (event.type === "reasoning-delta") {
      sendEvent(stream, event.type, { call: event.call, text: event.text });
    } else if (event.type === "tool-start") sendEvent(stream, event.type, event.tool_call);
    else if (event.type === "tool-end") sendEvent(stream, event.type, event.tool_call);
    else if (event.type === "tool-skipped") sendSkipped(stream, event.tool_call);
  });
  void turn.outcome
    .then((outcome) => {
      const answer = toAnswer(turn, outcome);
      // A turn that was started without streaming has no deltas.
      if (!hasText) sendWholeText(stream, answer);
      sendEvent(stream, "run-end", toRunEnd(answer));
    })
    .catch((thrown: unknown) => {
      sendError(stream, onCrash(thrown), requestId);
    })
    .finally(() => stream.end());
}

/** The last event of a turn that failed or did not start. */
function sendError(stream: EventWriter, error: ServiceError, requestId: string): void {
  sendEvent(stream, "error", toProblem(error, requestId));
  stream.end();
}

/** The events of a turn whose answer was stored. */
function sendStored(stream: EventWriter, answer: StoredAnswer): void {
  const end = toRunEnd(answer);
  sendEvent(stream, "run-start", { run_id: end.run_id, model_resolved: end.model_resolved });
  sendWholeText(stream, answer);
  sendEvent(stream, "run-end", end);
  stream.end();
}

/** A skipped call starts and ends at once, as a failed one. */
function sendSkipped(stream: EventWriter, skipped: ToolRun): void {
  const { id, name, args } = skipped;
  sendEvent(stream, "tool-start", { id, name, args });
  sendEvent(stream, "tool-end", skipped);
}

function sendWholeText(stream: EventWriter, { reply, headers }: StoredAnswer): void {
  if (reply.content === "") return;
  sendEvent(stream, "text-delta", { call: Number(headers["x-model-calls"]), text: reply.content });
}

function sendEvent<Name extends keyof AgentStreamEvents>(
  stream: EventWriter,
  name: Name,
  data: Readonly<AgentStreamEvents[Name]>,
): void {
  stream.send(data, name);
}

/** The message with the values that the JSON answer has in its headers. */
function toRunEnd({ reply, headers }: StoredAnswer): AgentStreamEvents["run-end"] {
  const count = (name: string) => Number(headers[name] ?? 0);
  return {
    run_id: headers["x-run-id"] ?? "",
    model_resolved: headers["x-model-resolved"] ?? "",
    message: reply,
    usage:
      headers["x-usage-total-tokens"] === undefined
        ? null
        : {
            input_tokens: count("x-usage-input-tokens"),
            output_tokens: count("x-usage-output-tokens"),
            total_tokens: count("x-usage-total-tokens"),
          },
    cost: headers["x-cost"] === undefined ? null : Number(headers["x-cost"]),
    model_calls: count("x-model-calls"),
    tool_calls: count("x-tool-calls"),
  };
}
