import type { ResumeRequest } from "../../src/contract/schemas/agent/agent-run.ts";
import type { AgentStreamEvents } from "../../src/contract/schemas/agent/agent-stream.ts";
import type { AgentMessage, AgentReply, AgentRequest } from "../../src/contract/schemas/agent/agent-message.ts";
import { interruptedResponse, errorFromProblem } from "./api-error.ts";
import { parseJsonBody, send } from "./http.ts";
import { readEventStream, type StreamEvent } from "./streams.ts";

type RunToolCall = AgentStreamEvents["tool-start"];
type RunToolOutcome = AgentStreamEvents["tool-end"];

/** Usage of all model calls of one answer. */
export interface RunTotal {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly model_calls: number;
}

/** Streamed while the agent answers; `reply` is the last event. */
export type AnswerEvent =
  /** `call` numbers the model calls: text of a new call starts a new paragraph. */
  | { readonly type: "text" | "thoughts"; readonly call: number; readonly text: string }
  | { readonly type: "tool-start"; readonly tool: RunToolCall }
  | { readonly type: "tool-end"; readonly tool: RunToolOutcome }
  /** `runId` resumes a run whose tool calls wait for approval. */
  | {
      readonly type: "reply";
      readonly reply: AgentReply;
      readonly cost: number | null;
      /** Null when the backend reports no usage. */
      readonly total: RunTotal | null;
      readonly runId: string | null;
    };

export interface AgentCall {
  readonly model: string;
  readonly messages: readonly AgentMessage[];
  readonly settings?: AgentSettings | undefined;
  readonly signal: AbortSignal;
}

/** The optional fields of a request. */
export type AgentSettings = Omit<AgentRequest, "messages">;

const accept = "text/event-stream, application/json;q=0.9";

/** Accepts an event stream or plain JSON. Throws when the stream ends without a reply. */
export async function* askAgent({ model, messages, settings, signal }: AgentCall): AsyncGenerator<AnswerEvent> {
  const headers = { "x-model-id": model, accept };
  yield* readTurnAnswer(
    await send("runAgentTurn", { headers, body: { messages: [...messages], ...settings }, signal }),
  );
}

export type Decisions = ResumeRequest["decisions"];

/** Resumes a run whose tool calls waited for approval. */
export async function* resumeAnswer(
  runId: string,
  { decisions, signal }: { decisions: Decisions; signal: AbortSignal },
): AsyncGenerator<AnswerEvent> {
  yield* readTurnAnswer(
    await send("resumeAgentRun", { parameters: { run_id: runId }, headers: { accept }, body: { decisions }, signal }),
  );
}

async function* readTurnAnswer(response: Response): AsyncGenerator<AnswerEvent> {
  const streamed = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (!streamed || !response.body) {
    const cost = response.headers.get("x-cost");
    const runId = response.headers.get("x-run-id");
    const reply = await parseJsonBody<AgentReply>(response);
    yield { type: "reply", reply, cost: cost === null ? null : Number(cost), total: totalOf(response.headers), runId };
    return;
  }
  for await (const event of readEventStream(response.body)) {
    const known = toAgentEvent(event);
    if (known) yield known;
    if (known?.type === "reply") return;
  }
  throw interruptedResponse();
}

function totalOf(headers: Headers): RunTotal | null {
  if (!headers.has("x-usage-input-tokens")) return null;
  const count = (name: string): number => Number(headers.get(name));
  return {
    input_tokens: count("x-usage-input-tokens"),
    output_tokens: count("x-usage-output-tokens"),
    model_calls: count("x-model-calls"),
  };
}

function toAgentEvent({ event, data }: StreamEvent): AnswerEvent | null {
  const body = JSON.parse(data) as unknown;
  switch (event) {
    case "text-delta":
      return { type: "text", ...(body as AgentStreamEvents["text-delta"]) };
    case "reasoning-delta":
      return { type: "thoughts", ...(body as AgentStreamEvents["reasoning-delta"]) };
    case "tool-start":
      return { type: "tool-start", tool: body as RunToolCall };
    case "tool-end":
      return { type: "tool-end", tool: body as RunToolOutcome };
    case "run-end": {
      const { message, cost, run_id, usage, model_calls } = body as AgentStreamEvents["run-end"];
      return {
        type: "reply",
        reply: message,
        cost,
        runId: run_id,
        total: usage && { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, model_calls },
      };
    }
    case "error":
      throw errorFromProblem(body as AgentStreamEvents["error"], null);
    default:
      return null;
  }
}
