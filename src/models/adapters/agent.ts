import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { errorKinds, type ErrorCode } from "../../contract/errors/errors.ts";
import { readPassages } from "../../contract/schemas/acting/context.ts";
import {
  moveNameIntoText,
  type ChatMessage,
  type ChatModel,
  type ChatOptions,
  type Reply,
  type ReplyError,
  type ReportedToolCall,
} from "../../contract/ports/chat-model.ts";
import type { AgentMessage } from "../../contract/schemas/agent/agent-message.ts";
import { worldHeader } from "../../contract/schemas/acting/world.ts";
import { parseEndpoint } from "../outbound/endpoint-policy.ts";
import type { Explanation } from "../outbound/failure.ts";
import type { ResponseHeaders } from "../outbound/exchange.ts";
import type { Outbound, OutboundStream } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import { loggedCalls, messageCalls, StreamedCalls } from "./agent-calls.ts";
import type { AdapterOptions } from "./http-chat-model.ts";
import { contentText } from "./reply/message-content.ts";
import { labels, nonEmptyString, parseJson, plainRecord, setAt } from "./reply/json-values.ts";
import {
  elapsedMs,
  explainedError,
  failedReply,
  finishReason,
  invalid,
  statedReason,
  tokenUsage,
  type AnswerContext,
  type ParsedReply,
} from "./reply/parsed-reply.ts";
import { readReplyStream, type ReplyCollector } from "./reply/reply-stream.ts";

/**
 * Another agent backend with the contract's `POST /`. It has tools and settings of its own, so the tools, parameters and
 * reply format of a request are not sent. The calls of its tools are read from its stream if one is asked for, else from the log
 * that our backend keeps.
 */
export function agentChat(adapter: AdapterOptions): ChatModel {
  const { outbound, endpoint, modelId, policy, runPolicy, credential, worldAddress } = adapter;
  const parsed = parseEndpoint(endpoint);
  const url = parsed.ok ? parsed.url.href : endpoint;
  const access = { runPolicy, policy, credential };

  /** The calls of a run of our backend; null when its log cannot be read. */
  async function callsOfRun(runId: string, options: ChatOptions): Promise<readonly ReportedToolCall[] | null> {
    if (!parsed.ok) return null;
    const { signal, admitBytes } = options;
    const log = new URL(parsed.url);
    log.pathname = `${log.pathname.replace(/(?<!\/)\/+$/, "")}/agent/runs/${runId}`;
    const request = { url: log.href, method: "GET", operation: "agent-run", retries: 1, signal, admitBytes } as const;
    const result = await outbound.request({ ...request, breakerKey: `${modelId} log`, ...access });
    const details = result.ok ? parseJson(result.body) : null;
    return isRecord(details) && Array.isArray(details["log"]) ? loggedCalls(details["log"]) : null;
  }

  return async (request, options) => {
    const { signal, onText, onRefused, longestWaitMs, admitBytes } = options;
    const started = performance.now();
    if (!canBeHeader(modelId)) return failedReply(unknownModel, elapsedMs(started));
    if (request.messages.some((message) => message.role === "user" && message.parts)) {
      return failedReply(noPictures, elapsedMs(started));
    }
    const world = options.session?.world_url;
    const result = await outbound.request({
      url,
      method: "POST",
      operation: "agent",
      ...withWorld({ messages: toAgentMessages(request.messages) }, { modelId, world, worldAddress }),
      acceptStream: options.stream === true,
      breakerKey: modelId,
      explainFailure: explainAgentProblem,
      signal,
      onRefused,
      longestWaitMs,
      admitBytes,
      ...access,
    });
    if (!result.ok) return failedReply(result.error, elapsedMs(started));
    const { status, tries, startedAt } = result;
    const context = { url, modelId, source: "", request, status, tries };
    if (result.kind === "stream") return streamedReply(result, { context, outbound, onText });
    const reply = parseAgentReply(result.body, context);
    const latency_ms = elapsedMs(startedAt);
    if (!("ok" in reply)) return failedReply(reply, latency_ms);
    if (reply.text !== "") onText?.(reply.text);
    const runId = loggedRun(result.headers);
    const calledNone = runId === null && result.headers["x-tool-calls"] !== undefined ? [] : null;
    const logged = runId === null ? calledNone : await callsOfRun(runId, options);
    const pending = new Set(reply.tool_calls.map(({ id }) => id));
    const own = logged?.length ? logged.filter(({ id }) => !pending.has(id)) : (reply.reported_calls ?? logged);
    return { ...reply, ...(own && { reported_calls: own }), latency_ms, first_token_ms: null };
  };
}

/** Headers and body of a call, with the address of the agent's world where the agent expects it. */
function withWorld(
  body: JsonRecord,
  {
    modelId,
    world,
    worldAddress,
  }: { modelId: string; world: string | undefined } & Pick<AdapterOptions, "worldAddress">,
) {
  const headers = { "x-model-id": modelId };
  if (world === undefined) return { headers, body: JSON.stringify(body) };
  const { header, field } = worldAddress ?? { header: worldHeader };
  const sent = field === undefined ? body : setAt(body, field, world);
  return {
    headers: { ...headers, ...(header !== undefined && { [header]: world }) },
    body: JSON.stringify(sent),
    // A retry acts again: the caller repeats the turn in the state that its world had at the start.
    retries: 0,
  };
}

/** The id of a run of our backend in which tools were called. Calls that it could not use are not counted, but take a model call. */
function loggedRun(headers: ResponseHeaders): string | null {
  const { "x-run-id": id, "x-tool-calls": tools, "x-model-calls": models } = headers;
  const called = Number(tools) > 0 || Number(models) > 1;
  return called && typeof id === "string" && /^[\w-]{1,64}$/.test(id) ? id : null;
}

interface StreamedAgent {
  readonly context: AnswerContext;
  readonly outbound: Outbound;
  readonly onText: ((text: string) => void) | undefined;
}

/** Reads the events of `POST /`. The last one holds the message. */
async function streamedReply(
  { stream, startedAt }: OutboundStream,
  { context, outbound, onText }: StreamedAgent,
): Promise<Reply> {
  const calls = new StreamedCalls();
  let firstToken: number | null = null;
  let message: JsonRecord | null = null;
  const collector: ReplyCollector = {
    add({ event, data }) {
      const body = parseJson(data);
      if (!isRecord(body)) return invalid(context, "The stream holds an event that is not a JSON object.");
      const type = event === "message" && typeof body["type"] === "string" ? body["type"] : event;
      if (type === "error") return streamProblem(body, context);
      if (type === "run-end" && isRecord(body["message"])) {
        message = body["message"];
        return "done";
      }
      if (!calls.add(type, body) && type === "text-delta" && typeof body["text"] === "string" && body["text"] !== "") {
        firstToken ??= elapsedMs(startedAt);
        onText?.(body["text"]);
      }
      return "more";
    },
    finish: () =>
      message
        ? toAgentChatReply(message, context)
        : invalid(context, "The stream ended before the reply was complete."),
  };
  const reply = await readReplyStream(stream, collector, { context, maxEventBytes: outbound.maxEventBytes });
  const latency_ms = elapsedMs(startedAt);
  if (!("ok" in reply)) return failedReply(reply, latency_ms);
  const pending = new Set(reply.tool_calls.map(({ id }) => id));
  const seen = calls.list().filter(({ id }) => !pending.has(id));
  const reported_calls = seen.length > 0 ? seen : (reply.reported_calls ?? []);
  return { ...reply, reported_calls, latency_ms, first_token_ms: firstToken };
}

function streamProblem(problem: JsonRecord, context: AnswerContext): ReplyError {
  const explained = explainProblem(problem, "The agent ended its stream");
  return explainedError(
    explained ?? { code: "upstream_error", detail: "The stream ended with an error from the agent." },
    context,
  );
}

const unknownModel = {
  code: "model_not_found",
  detail: "The model id holds characters that the x-model-id header cannot carry.",
  upstream_status: null,
  tries: 0,
  retryable: false,
} as const;

const noPictures = {
  code: "upstream_rejected",
  detail: "The conversation holds pictures, which the protocol of another agent backend has no place for.",
  upstream_status: null,
  tries: 0,
  retryable: false,
} as const;

function canBeHeader(modelId: string): boolean {
  return /^[\x21-\x7e]+$/.test(modelId);
}

/**
 * The messages with the contract's fields only, so that a strict implementation accepts them. The contract has no system
 * type, so system text is put before the first human message.
 */
function toAgentMessages(request: readonly ChatMessage[]): readonly AgentMessage[] {
  const messages = request.map(moveNameIntoText);
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  const conversation = messages.flatMap((message) => toAgentMessage(message) ?? []);
  return system === "" ? conversation : withInstructions(conversation, system);
}

function toAgentMessage(message: ChatMessage): AgentMessage | null {
  if (message.role === "system") return null;
  if (message.role === "user") return { type: "human", content: message.content };
  if (message.role === "assistant") return { type: "ai", content: message.content };
  return compact({ type: "tool", content: message.content, name: message.name });
}

function withInstructions(messages: readonly AgentMessage[], system: string): readonly AgentMessage[] {
  const instructions = `<system_instructions>\n${system}\n</system_instructions>`;
  const index = messages.findIndex(({ type }) => type === "human");
  if (index === -1) return [{ type: "human", content: instructions }, ...messages];
  return messages.map((message, position) =>
    position === index ? { ...message, content: `${instructions}\n\n${message.content}` } : message,
  );
}

/** Codes with another meaning when the agent under test reports them instead of this service. */
const seenFromOutside: Partial<Record<ErrorCode, ErrorCode>> = {
  model_id_missing: "model_not_found",
  model_id_invalid: "model_not_found",
  auth_missing: "upstream_auth",
  auth_invalid: "upstream_auth",
  auth_expired: "upstream_auth",
  scope_missing: "upstream_auth",
  rate_limited: "upstream_rate_limited",
  request_timeout: "upstream_timeout",
  internal_error: "upstream_error",
  overloaded: "upstream_error",
  shutting_down: "upstream_error",
  storage_unavailable: "upstream_error",
  storage_full: "upstream_error",
};

const passedOn = new Set<string>(["model_not_found", "context_length_exceeded", "budget_exceeded"]);

/**
 * Translates the problem body of another agent backend. Upstream codes, `model_not_found`, `context_length_exceeded` and
 * `budget_exceeded` keep their meaning; an unroutable model id becomes `model_not_found`; codes about our request become
 * `upstream_rejected`.
 */
function explainAgentProblem({ status, body }: FailedResponse): Explanation | null {
  return explainProblem(parseJson(body), `The agent answered HTTP ${status}`);
}

function explainProblem(problem: unknown, what: string): Explanation | null {
  const code = isRecord(problem) ? problem["code"] : undefined;
  if (typeof code !== "string" || !Object.hasOwn(errorKinds, code)) return null;
  const known = code as ErrorCode;
  const kept = known.startsWith("upstream_") || passedOn.has(known);
  const meaning = kept ? known : (seenFromOutside[known] ?? "upstream_rejected");
  if (meaning === "model_not_found") {
    return { code: meaning, detail: `${what}: the agent does not know this model (${known}).` };
  }
  return { code: meaning, detail: `${what} with ${known}.` };
}

/** Reads the message that `POST /` answers. */
function parseAgentReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const message = parseJson(body);
  return isRecord(message)
    ? toAgentChatReply(message, context)
    : invalid(context, "The agent's answer is not a JSON object.");
}

function toAgentChatReply(message: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  const { pending, invalid: unusable } = messageCalls(message);
  const text = contentText(message["content"]) ?? (pending.length > 0 ? "" : null);
  if (text === null) return invalid(context, "The agent's answer holds no content.");
  const response = recordOf(message["response_metadata"]);
  const extra = recordOf(message["additional_kwargs"]);
  return compact({
    ok: true,
    text,
    refusal: nonEmptyString(extra["refusal"]),
    tool_calls: pending,
    reported_calls: unusable.length > 0 ? unusable : undefined,
    finish_reason: finishReason(statedReason(response["finish_reason"]), pending.length > 0),
    usage: tokenUsage(response["token_usage"]) ?? tokenUsage(message["usage_metadata"]),
    model: nonEmptyString(response["model_name"]) ?? context.modelId,
    completion_id: nonEmptyString(response["id"]) ?? nonEmptyString(message["id"]) ?? "",
    system_fingerprint: nonEmptyString(response["system_fingerprint"]),
    service_tier: nonEmptyString(response["service_tier"]),
    logprobs: plainRecord(response["logprobs"]),
    metadata: labels(message["generated_metadata"]) ?? labels(extra["metadata"]),
    context: readPassages(message["context"] ?? extra["context"]),
    tries: context.tries,
  });
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
