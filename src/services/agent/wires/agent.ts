import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import type { Logger } from "pino";
import type { ToolRun } from "../../../agent/loop/agent-outcome.ts";
import { withTimeoutOrNull } from "../../../base/deadline.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentRunLog, StoredAnswer, StoredReply } from "../../../contract/ports/agent-memory.ts";
import { summarizeRun, type AgentRunSummary } from "../../../contract/schemas/agent/agent-run.ts";
import type { AgentStreamEvents } from "../../../contract/schemas/agent/agent-stream.ts";
import { toProblem } from "../../../contract/errors/problem.ts";
import { answerEvents } from "../../http/responses/event-stream.ts";
import { answerJson } from "../../http/responses/answer-json.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import type { ShellEnvironment } from "../../http/environment/shell-environment.ts";
import type { KeyedTurn } from "../turns/idempotent-turns.ts";
import { fromStored, toAnswer, turnHeaders } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";
import { crashReporter, openStream, withRunId } from "./answer-stream.ts";

interface AnswerOptions {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** True for server-sent events, false for JSON. */
  readonly events: boolean;
  readonly log: Logger;
  readonly patienceMs: number;
}

/** A turn that can be followed here. */
export type FollowedTurn = Exclude<KeyedTurn, { kind: "elsewhere" }>;

/** Answers with the last message of the turn, as JSON or as events. */
export async function answerTurn(
  context: Context<ShellEnvironment>,
  started: Promise<FollowedTurn>,
  { signal, events, log, patienceMs }: AnswerOptions,
): Promise<Response> {
  const begun = started.then((keyed) => {
    if (keyed.kind === "turn") keyed.turn.watch(signal);
    return keyed;
  });
  if (!events) return answerInJson(context, await begun);
  const requestId = context.get("requestId");
  const write = (stream: EventWriter, keyed: FollowedTurn): void => {
    if (keyed.kind === "answer") return sendStored(stream, keyed.answer, requestId);
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

/** Names the run of a turn that the client does not wait for, with its state. Other processes can read it from now on. */
export async function answerAccepted(
  context: Context<ShellEnvironment>,
  keyed: Exclude<KeyedTurn, { kind: "answer" }>,
  { runLog, owner }: { runLog: AgentRunLog; owner: string | null },
): Promise<Response> {
  const isHere = keyed.kind === "turn";
  const runId = isHere ? keyed.turn.runId : keyed.runId;
  const summary = await summaryOf(runId, owner, { runLog, signal: context.req.raw.signal });
  return context.json(summary, 202, {
    ...turnHeaders({ runId, resolved: summary.model_resolved }),
    location: `/agent/runs/${runId}`,
    "preference-applied": "respond-async",
    ...(isHere && !keyed.replayed ? {} : { "idempotent-replayed": "true" }),
  });
}

/** Another process may have accepted the run a moment ago, and write its log a moment later. */
async function summaryOf(
  runId: string,
  owner: string | null,
  { runLog, signal }: { runLog: AgentRunLog; signal: AbortSignal },
): Promise<AgentRunSummary> {
  for (;;) {
    const record = await runLog.get(runId, owner);
    const summary = record && summarizeRun(runId, record.entries);
    if (summary) return summary;
    await sleep(50, undefined, { signal });
  }
}

async function answerInJson(context: Context<ShellEnvironment>, keyed: FollowedTurn): Promise<Response> {
  const { reply, headers } = keyed.kind === "answer" ? fromStored(keyed.answer) : await agentAnswerOf(keyed.turn);
  return answerJson(context, reply, { ...headers, ...replayedHeader(keyed) });
}

/** The answer of a turn, or its error with the headers that name its run. */
async function agentAnswerOf(turn: Turn): Promise<StoredReply> {
  const outcome = await turn.outcome.catch((error: unknown) => {
    throw error instanceof ServiceError ? withRunId(error, turn) : error;
  });
  return toAnswer(turn, outcome);
}

function replayedHeader(keyed: FollowedTurn): Record<string, string> {
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

/** The events of a turn whose answer, or failure, was stored. */
function sendStored(stream: EventWriter, stored: StoredAnswer, requestId: string): void {
  const { headers } = stored;
  const [run_id = "", model_resolved = ""] = [headers["x-run-id"], headers["x-model-resolved"]];
  sendEvent(stream, "run-start", { run_id, model_resolved });
  try {
    const answer = fromStored(stored);
    sendWholeText(stream, answer);
    sendEvent(stream, "run-end", toRunEnd(answer));
    stream.end();
  } catch (error) {
    sendError(stream, error as ServiceError, requestId);
  }
}

/** A skipped call starts and ends at once, as a failed one. */
function sendSkipped(stream: EventWriter, skipped: ToolRun): void {
  const { id, name, args } = skipped;
  sendEvent(stream, "tool-start", { id, name, args });
  sendEvent(stream, "tool-end", skipped);
}

function sendWholeText(stream: EventWriter, { reply, headers }: StoredReply): void {
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
function toRunEnd({ reply, headers }: StoredReply): AgentStreamEvents["run-end"] {
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
