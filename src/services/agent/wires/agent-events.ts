import type { ToolRun } from "../../../agent/loop/agent-outcome.ts";
import type { StoredAnswer } from "../../../contract/ports/agent-memory.ts";
import type { AgentStreamEvents } from "../../../contract/schemas/agent-stream.ts";
import type { ServiceError } from "../../../contract/errors.ts";
import { toProblem } from "../../../contract/schemas/problem.ts";
import type { EventWriter } from "../../http/responses/event-writer.ts";
import type { Turn } from "../turns/turn.ts";
import { toAnswer } from "../turns/turn-answer.ts";

/**
 * A turn as the events of POST /: `run-start`, `text-delta`, `reasoning-delta`, `tool-start`, `tool-end`, and last either `run-end`, whose
 * `message` is the JSON answer, or `error`, which is the problem document.
 */
export function sendTurn(
  stream: EventWriter,
  turn: Turn,
  { requestId, onCrash }: { requestId: string; onCrash: (error: unknown) => ServiceError },
): void {
  let spoken = false;
  sendEvent(stream, "run-start", { run_id: turn.runId, model_resolved: turn.resolved });
  turn.listen((event) => {
    if (event.type === "text-delta") {
      spoken = true;
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
      // A run that was not started for streaming still has its text told once.
      if (!spoken) sendWholeText(stream, answer);
      sendEvent(stream, "run-end", toRunEnd(answer));
    })
    .catch((thrown: unknown) => {
      sendError(stream, onCrash(thrown), requestId);
    })
    .finally(() => stream.end());
}

/** The last event of a turn that failed, also of one that never began. */
export function sendError(stream: EventWriter, error: ServiceError, requestId: string): void {
  sendEvent(stream, "error", toProblem(error, requestId));
  stream.end();
}

/** The events of a turn that was answered before. */
export function sendStored(stream: EventWriter, answer: StoredAnswer): void {
  const end = toRunEnd(answer);
  sendEvent(stream, "run-start", { run_id: end.run_id, model_resolved: end.model_resolved });
  sendWholeText(stream, answer);
  sendEvent(stream, "run-end", end);
  stream.end();
}

/** What was not run begins and ends at once, as one that failed. */
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

/** What the JSON answer says in its headers is said here beside the message. */
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
