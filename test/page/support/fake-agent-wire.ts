import type { IncomingMessage, ServerResponse } from "node:http";
import { fakeResume, type FakeAnswer } from "./fake-agent.ts";
import { readJson, sendJson, sendProblem } from "./fake-io.ts";

interface AgentQuestion {
  model: string;
  messages: { type: string; content: string }[];
}

interface AgentCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: (model: string, message: string) => FakeAnswer;
  readonly questions: AgentQuestion[];
  readonly streams: boolean;
}

/** POST / on both wires: events when asked for, else JSON. */
export async function answerAgent({ request, response, answer, questions, streams }: AgentCall): Promise<void> {
  const model = String(request.headers["x-model-id"] ?? "");
  const body = (await readJson(request)) as AgentQuestion;
  const { messages } = body;
  questions.push({ ...body, model });
  send({ request, response, streams }, answer(model, messages.at(-1)?.content ?? ""));
}

/** POST /agent/runs/{run_id}/resume with one decision. */
export async function answerResume(call: Pick<AgentCall, "request" | "response" | "streams">): Promise<void> {
  const { decisions } = (await readJson(call.request)) as { decisions: Record<string, unknown> };
  send(call, fakeResume(decisions["call-7"]));
}

function send(
  { request, response, streams }: Pick<AgentCall, "request" | "response" | "streams">,
  result: FakeAnswer,
): void {
  if (result === "never") return;
  if ("problem" in result) return sendProblem(response, result.problem);
  const asked = request.headers.accept?.startsWith("text/event-stream") ?? false;
  if (streams && asked) sendEvents(response, result);
  else if ("reply" in result) sendJson(response, 200, result.reply);
}

/** A call before each tool, and one for the reply. */
function totals({ tools = [] }: Exclude<FakeAnswer, "never" | { problem: unknown }>) {
  const calls = tools.length + 1;
  const usage = { input_tokens: 21 * calls, output_tokens: 9 * calls, total_tokens: 30 * calls };
  return { usage, model_calls: calls, tool_calls: tools.length };
}

function sendEvents(response: ServerResponse, result: Exclude<FakeAnswer, "never" | { problem: unknown }>): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const send = (event: string, data: unknown): void => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  send("run-start", { run_id: "run-1", model_resolved: "demo/scripted" });
  for (const tool of result.tools ?? []) {
    send("tool-start", { id: tool.id, name: tool.name, args: tool.args });
    if (tool.result !== null) send("tool-end", { ok: true, duration_ms: 12, ...tool });
  }
  if ("partial" in result) {
    send("text-delta", { call: 1, text: result.partial });
    if (result.failure) {
      send("error", result.failure);
      response.end();
    }
    return;
  }
  if (result.thoughts !== undefined) send("reasoning-delta", { call: 1, text: result.thoughts });
  for (const text of result.reply.content.split(/(?<= )/)) send("text-delta", { call: 2, text });
  send("run-end", {
    run_id: "run-1",
    model_resolved: "demo/scripted",
    message: result.reply,
    cost: 0.0012,
    ...totals(result),
  });
  response.end();
}
