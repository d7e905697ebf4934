import type { IncomingMessage, ServerResponse } from "node:http";
import {
  summarizeRun,
  type AgentRunDetails,
  type AgentRunEntry,
} from "../../../src/contract/schemas/agent/agent-run.ts";
import { makeProblem } from "./fake-agent.ts";
import { sendJson, sendProblem } from "./fake-io.ts";

const start = 1_000_000;
const usage = { input_tokens: 500, output_tokens: 20, total_tokens: 520 };
const reply = {
  ok: true as const,
  refusal: null,
  usage: {
    prompt_tokens: 250,
    completion_tokens: 10,
    total_tokens: 260,
    prompt_tokens_details: null,
    completion_tokens_details: null,
  },
  model: "m",
  completion_id: "c",
  system_fingerprint: null,
  service_tier: null,
  logprobs: null,
  metadata: null,
  latency_ms: 300,
  first_token_ms: null,
  tries: 1,
};
const asked = { id: "call-1", name: "send_mail", arguments: '{"to":"a@example.org"}' };
const end = { model_resolved: "demo/tools", error: null, usage, cost: 0.0012, model_calls: 2, tool_calls: 1 };

/** Asks for a tool, waits for approval, runs it and answers. */
export const sampleAgentLog: readonly AgentRunEntry[] = [
  {
    type: "run-start",
    at: start,
    owner: null,
    wire: "agent",
    request_id: "r",
    model_id: "demo/tools",
    model_resolved: "demo/tools",
    thread_id: "orders",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Mail the <b>invoice</b>" },
    ],
    tools: ["send_mail"],
    client_tools: [],
  },
  {
    type: "model-call",
    at: start + 5,
    call: 1,
    duration_ms: 400,
    model_resolved: "demo/tools",
    reply: { ...reply, text: "", tool_calls: [asked], finish_reason: "tool_calls" },
  },
  {
    type: "run-end",
    at: start + 410,
    state: "waiting",
    finish_reason: "tool_calls",
    text: "",
    duration_ms: 410,
    waiting_calls: ["call-1"],
    ...end,
  },
  { type: "run-resume", at: start + 1000, decisions: { "call-1": "approve" } },
  {
    type: "tool-call",
    at: start + 1000,
    id: "call-1",
    name: "send_mail",
    args: { to: "a@example.org" },
    ok: true,
    result: "queued",
    duration_ms: 20,
  },
  {
    type: "model-call",
    at: start + 1030,
    call: 2,
    duration_ms: 300,
    model_resolved: "demo/tools",
    reply: { ...reply, text: "Sent **it**.", tool_calls: [], finish_reason: "stop" },
  },
  {
    type: "run-end",
    at: start + 1331,
    state: "completed",
    finish_reason: "stop",
    text: "Sent **it**.",
    duration_ms: 741,
    ...end,
  },
];

/** A run that waits until it is resumed, in a thread. */
export function createFakeAgentRuns() {
  let resumed = false;
  const details = (): AgentRunDetails => {
    const log = resumed ? sampleAgentLog : sampleAgentLog.slice(0, 3);
    const summary = summarizeRun("run-1", log);
    if (!summary) throw new Error("The log has no start.");
    return { ...summary, text: resumed ? "Sent **it**." : "", message: null, log };
  };
  return {
    resume: () => void (resumed = true),
    /** False when the path is none of its own. */
    answer({ method }: IncomingMessage, response: ServerResponse, url: URL): boolean {
      const { pathname, searchParams } = url;
      if (pathname === "/agent/runs") {
        const { log: _log, text: _text, message: _message, ...run } = details();
        const wanted = searchParams.get("state") ?? run.state;
        sendJson(response, 200, { runs: wanted === run.state ? [run] : [], next_cursor: null });
      } else if (pathname === "/agent/runs/run-1" && method === "GET") sendJson(response, 200, details());
      else if (pathname === "/agent/runs/run-1/replay") {
        const divergences = ["The tool send_mail is no longer available."];
        const rest = { finish_reason: "stop", text: "", model_calls: 2, tool_calls: 1 };
        sendJson(response, 200, { run_id: "run-1", matches: false, divergences, ...rest });
      } else if (pathname === "/agent/runs/run-1/scenario") {
        sendJson(response, 200, { id: "run-run-1", description: "", tags: [], interactions: [] });
      } else if (pathname === "/agent/threads") {
        sendJson(response, 200, {
          threads: [{ id: "orders", created_at: start, updated_at: start }],
          next_cursor: null,
        });
      } else if (pathname === "/agent/threads/orders") {
        const messages = [
          { type: "human", content: "Mail the <b>invoice</b>" },
          { type: "ai", content: "Sent it." },
        ];
        sendJson(response, 200, { id: "orders", messages, created_at: start, updated_at: start });
      } else if (/^\/agent\/(?:runs|threads)\/[^/]+$/.test(pathname)) {
        sendProblem(response, makeProblem("run_not_found", "There is no such run."));
      } else return false;
      return true;
    },
  };
}
