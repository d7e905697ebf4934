import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isRetryable, type ErrorCode } from "../../contract/errors/errors.ts";
import type { ChatModel, ChatRequest, FailedReply, TokenUsage, ToolCall } from "../../contract/ports/chat-model.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import { isSimulatorRequest, playUser } from "./simulated-user.ts";

/** Sent with every answer, so that a demo's scores are not mistaken for a model's. */
export const demoFingerprint = "rehearsal-demo (scripted, not a language model)";

/** A demo's answer. */
export interface Draft {
  readonly text: string;
  readonly tool_calls?: readonly Omit<ToolCall, "id">[];
  readonly metadata?: Metadata;
}

/** A demo's simulated provider failure. */
export interface DemoFailure {
  readonly failure: ErrorCode;
  readonly detail: string;
  readonly upstream_status: number;
}

export type Respond = (request: ChatRequest) => Draft | DemoFailure;

export interface DemoModelOptions {
  /** The duration of a whole answer. */
  readonly latencyMs?: number | undefined;
  readonly newId?: (() => string) | undefined;
  /** True when it writes structured output. */
  readonly structured?: boolean | undefined;
}

const wordsPerPiece = 4;

/** Makes a model of a demo's answers: ids, token counts, stop sequences, length limit, streaming and abort. */
export function defineDemoModel(
  model: string,
  respond: Respond,
  { latencyMs = 0, newId = randomUUID, structured = false }: DemoModelOptions = {},
): ChatModel {
  return async (request, { signal, onText }) => {
    signal.throwIfAborted();
    const started = performance.now();
    const elapsed = () => performance.now() - started;
    const draft = isSimulatorRequest(request)
      ? { text: playUser(request) }
      : ((structured ? null : refuseRequest(request)) ?? demandToolCall(request, respond(request)));
    if ("failure" in draft) {
      await pauseBetween(latencyMs, signal);
      return toFailedReply(draft, elapsed());
    }

    const { text, finish_reason } = limitTokens(draft, request);
    const pieces = onText ? splitPieces(text) : [text];
    let first_token_ms: number | null = null;
    for (const piece of pieces) {
      await pauseBetween(latencyMs / pieces.length, signal);
      first_token_ms ??= onText ? elapsed() : null;
      if (piece !== "") onText?.(piece);
    }
    const tool_calls = (draft.tool_calls ?? []).map((call) => ({ id: `call_${newId().replaceAll("-", "")}`, ...call }));
    return {
      ok: true,
      text,
      refusal: null,
      tool_calls,
      finish_reason,
      usage: countUsage(request, text, tool_calls),
      model,
      completion_id: `chatcmpl-demo-${newId()}`,
      system_fingerprint: demoFingerprint,
      service_tier: null,
      logprobs: null,
      metadata: draft.metadata ?? null,
      latency_ms: elapsed(),
      first_token_ms,
      tries: 1,
    };
  };
}

function refuseRequest({ format }: ChatRequest): DemoFailure | null {
  return format ? rejection("A demo model cannot write structured output; use a language model for that") : null;
}

function demandToolCall({ tool_choice }: ChatRequest, draft: Draft | DemoFailure): Draft | DemoFailure {
  if (tool_choice !== "required" || "failure" in draft || draft.tool_calls?.length) return draft;
  return rejection("This demo model has no tool call to make here, but one was required");
}

function rejection(detail: string): DemoFailure {
  return { failure: "upstream_rejected", detail, upstream_status: 400 };
}

async function pauseBetween(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal });
  signal.throwIfAborted();
}

function toFailedReply({ failure, detail, upstream_status }: DemoFailure, latency_ms: number): FailedReply {
  const error = { code: failure, detail, upstream_status, tries: 1, retryable: isRetryable(failure) };
  return { ok: false, error, latency_ms };
}

function limitTokens(
  { text, tool_calls }: Draft,
  { parameters }: ChatRequest,
): { text: string; finish_reason: string } {
  if (tool_calls?.length) return { text, finish_reason: "tool_calls" };
  const stops = [parameters?.stop ?? []].flat().filter((stop) => stop !== "");
  const end = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0), text.length);
  const stopped = text.slice(0, end);
  const cut = cutToTokens(stopped, parameters?.max_tokens ?? Infinity);
  return { text: cut, finish_reason: cut === stopped ? "stop" : "length" };
}

function splitPieces(text: string): string[] {
  const words = text.split(/(?<=\s)/);
  return Array.from({ length: Math.ceil(words.length / wordsPerPiece) }, (_, index) =>
    words.slice(index * wordsPerPiece, (index + 1) * wordsPerPiece).join(""),
  );
}

function countUsage({ messages, tools }: ChatRequest, text: string, calls: readonly ToolCall[]): TokenUsage {
  const perMessage = 3;
  const asked = messages.reduce((sum, { content }) => sum + perMessage + countDemoTokens(content), 0);
  const prompt_tokens = asked + (tools ? countDemoTokens(JSON.stringify(tools)) : 0);
  const called = calls.reduce((sum, call) => sum + countDemoTokens(call.name) + countDemoTokens(call.arguments), 0);
  const completion_tokens = countDemoTokens(text) + called;
  const total_tokens = prompt_tokens + completion_tokens;
  const details = { prompt_tokens_details: null, completion_tokens_details: null };
  return { prompt_tokens, completion_tokens, total_tokens, ...details };
}

const pieces = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;
const lettersPerToken = 6;

const longestCounted = 20_000;

/** A simple, repeatable estimate: short words and signs are one token, longer words one per six letters. */
export function countDemoTokens(text: string): number {
  // A huge text is extrapolated from its beginning: counting all of it would block other requests.
  const counted = text.slice(0, longestCounted);
  let tokens = 0;
  for (const [piece] of counted.matchAll(pieces)) tokens += demoTokens(piece);
  return counted.length === text.length ? tokens : Math.ceil((tokens * text.length) / counted.length);
}

/** The start of a text that fits into `limit` tokens. */
export function cutToTokens(text: string, limit: number): string {
  let tokens = 0;
  for (const match of text.matchAll(pieces)) {
    tokens += demoTokens(match[0]);
    if (tokens > limit) return text.slice(0, match.index).trimEnd();
  }
  return text;
}

function demoTokens(piece: string): number {
  return Math.ceil([...piece].length / lettersPerToken);
}
