import { expect, test } from "vitest";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import type { ErrorTextOptions } from "./error-text.ts";
import { meaningOfStatus, statusFailure } from "./status-failure.ts";
import { toReplyError } from "./failure.ts";
import type { Outbound, OutboundRequest } from "./outbound.ts";

const clean = (text: string): string => text.replaceAll("sesame", "[redacted]");
const target = { url: "http://bot.test/chat", body: { q: "{{message}}" }, reply: "/text" };

/** Asks a target whose endpoint answers with this status and body. */
async function fail(
  { status, body, protocol = "http" }: { status: number; body: string; protocol?: Protocol },
  errorText?: ErrorTextOptions,
): Promise<ReplyError> {
  const outbound = {
    maxEventBytes: 100_000,
    request: async ({ url, explainFailure }: OutboundRequest) => {
      if (status === 200) return { ok: true, kind: "body", status, headers: {}, body, tries: 1, startedAt: 0 };
      const response = { status, url: new URL(url), contentType: "text/plain", body };
      const failure = statusFailure(response, { hasCredential: true, explain: explainFailure });
      return { ok: false, error: toReplyError(failure, 1) };
    },
  } as unknown as Outbound;
  const model = createChatModel({
    outbound,
    protocol,
    endpoint: target.url,
    modelId: "m",
    ...(protocol === "http" && { target }),
    errorText,
  });
  const reply = await model(
    { messages: [{ role: "user", content: "Hi" }] },
    { signal: new AbortController().signal, session: { id: "s" } },
  );
  if (reply.ok) throw new Error("expected a failure");
  return reply.error;
}

const keeping = { kept: "answer", clean } as const;

test("a failed answer is kept without secrets and control characters, and cut", async () => {
  const body = `KeyError: 'order_idx' in tools.py:31\u001b[31m sesame ${"x".repeat(5_000)}`;
  const { detail, upstream_message = "" } = await fail({ status: 500, body }, keeping);
  expect(detail).toBe("HTTP 500 from bot.test.");
  expect(upstream_message).toMatch(/^KeyError: 'order_idx' in tools\.py:31\[31m \[redacted\] x+$/);
  expect(upstream_message).toHaveLength(2_000);
});

test("a secret across the place of the cut leaves no half", async () => {
  const body = `${"x".repeat(1_997)}sesame and more`;
  expect((await fail({ status: 500, body }, keeping)).upstream_message).toBe(`${"x".repeat(1_997)}[re`);
});

test("an answer that was a success for HTTP is kept too, and the message of an AG-UI error", async () => {
  const { upstream_message } = await fail({ status: 200, body: '{"error":"no such tool"}' }, keeping);
  expect(upstream_message).toBe('{"error":"no such tool"}');
  const stream = `data: {"type":"RUN_STARTED"}\n\ndata: {"type":"RUN_ERROR","message":"graph broke in node pay"}\n\n`;
  const ended = await fail({ status: 200, body: stream, protocol: "ag-ui" }, keeping);
  expect(ended.upstream_message).toBe("graph broke in node pay");
});

test("nothing is kept by default", async () => {
  const error = await fail({ status: 500, body: "KeyError" });
  expect(error).not.toHaveProperty("upstream_message");
});

test("of a rejected request, message and param can be kept alone", async () => {
  const rejected = {
    error: { message: "Invalid schema for sesame", param: "tools[3].function.parameters", code: null },
  };
  const asked = { status: 400, body: JSON.stringify(rejected), protocol: "openai-chat" as const };
  const error = await fail(asked, { kept: "rejection", clean });
  expect(error.upstream_error).toEqual({
    message: "Invalid schema for [redacted]",
    param: "tools[3].function.parameters",
  });
  expect(error).not.toHaveProperty("upstream_message");
  const broken = await fail({ ...asked, status: 500 }, { kept: "rejection", clean });
  expect(broken).not.toHaveProperty("upstream_error");
});

test.for([
  ["", true],
  ["Not Found", true],
  ['{"detail":"Not Found"}', true],
  ["<html><body>404</body></html>", true],
  ['{"error":{"message":"Invalid URL (POST /v2/chat)"}}', true],
  ["Cannot POST /chat", true],
  ["unknown conversation: call POST /api/start first", false],
  ['{"detail":"Session not found"}', false],
  ['{"message":"No agent of the name desk"}', false],
] as const)("404 %s: the path is doubted: %s", ([body, isPath]) => {
  const url = new URL("http://bot.test/say");
  const response = { status: 404, url, contentType: "", body };
  const { detail } = statusFailure(response, { hasCredential: true });
  expect(detail === meaningOfStatus(response, { hasCredential: true }).detail).toBe(isPath);
});
