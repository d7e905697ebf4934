import { compact } from "../../base/compact.ts";
import { pause } from "../../base/deadline.ts";
import type { ChatModel, ReplyError } from "../../contract/ports/chat-model.ts";
import type { Target } from "../../contract/schemas/acting/target.ts";
import { parseJson } from "../adapters/reply/json-values.ts";
import { elapsedMs, failedReply, invalid, replyError } from "../adapters/reply/parsed-reply.ts";
import type { OutboundBody, OutboundResult } from "../outbound/outbound.ts";
import { AnswerReader } from "./answer-reader.ts";
import { socketTarget } from "./socket-target.ts";
import { isSocket, stepUrl } from "./target-calls.ts";
import { refused, targetChat, type CallFacts, type SendToTarget, type TargetOptions } from "./target-chat.ts";
import { sessionId, toRequest, toStepRequest } from "./target-request.ts";
import { capture, holds, notCaptured } from "./target-session.ts";
import { filledProblem, isStateless, placeholdersIn } from "./template.ts";

/** An agent with an HTTP interface of its own, or behind a WebSocket, described by a template. */
export function httpTarget(options: TargetOptions): ChatModel {
  const { target } = options;
  if (isSocket(target.url)) return socketTarget(options);
  const names = new Set([...placeholdersIn(target)].map(({ name }) => name));
  const reader = new AnswerReader(target, { asksForTools: names.has("tools") });
  return targetChat(
    {
      idempotent: target.method === "GET" || isStateless(target),
      ask: async (facts, send, read) => {
        const started = performance.now();
        const request = toRequest(target, facts);
        const problem = filledProblem(target, request);
        if (problem !== null) return failedReply(refused("upstream_rejected", problem), 0);
        const first = await send(request, facts.stream && target.stream !== undefined);
        const missing = first.ok ? capture(target.capture, first, facts.state, { isOptional: !target.poll }) : null;
        if (first.ok && missing !== null)
          return failedReply(notCaptured(missing, "the turn", first), elapsedMs(started));
        const { result, answers, failure } = await poll(first, { target, facts, send, reader });
        if (failure) return failedReply(failure, elapsedMs(started));
        const reply = await read(result, {
          parseReply: (body, context) => (answers ? reader.gather(answers, context) : reader.parse(body, context)),
          collectStream: (context, listeners) => reader.collect(context, listeners),
          isStream: (answer) => !target.poll && isStreamed(target, answer),
        });
        if (!reply.ok) return reply;
        const id = names.has("session_id") && reply.session_id === undefined ? sessionId(target, facts) : undefined;
        return compact({
          ...reply,
          ...(target.poll && { latency_ms: elapsedMs(started) }),
          session_id: reply.session_id ?? id,
        });
      },
    },
    options,
  );
}

interface Polled {
  readonly result: OutboundResult;
  /** Set when the reply is what several answers say together. */
  readonly answers?: readonly unknown[];
  readonly failure?: ReplyError;
}

interface PollOptions {
  readonly target: Target;
  readonly facts: CallFacts;
  readonly send: SendToTarget;
  readonly reader: AnswerReader;
}

/** Asks until the agent has replied: until an answer says so, or until none has said anything new for a while. */
async function poll(first: OutboundResult, { target, facts, send, reader }: PollOptions): Promise<Polled> {
  if (!target.poll || !first.ok) return { result: first };
  const { every = 1, timeout = 300, until, fail, quiet } = target.poll;
  const started = performance.now();
  const answers: unknown[] = [];
  let heardAt = started;
  let result: OutboundResult = first;
  for (let number = 0; ; number += 1) {
    if (!result.ok) return { result };
    if (result.kind === "stream") return { result, failure: invalid(contextOf(target, facts, result), streamed) };
    const answer = parseJson(result.body);
    if (holds(fail, answer))
      return { result, failure: replyError("upstream_error", "The poll says that the agent failed.", result) };
    if (number > 0) capture(target.poll.capture, result, facts.state, { isOptional: true });
    if (until !== undefined && holds(until, answer)) return { result };
    if (quiet !== undefined && number > 0) {
      if (reader.said([answer]) !== null) {
        answers.push(answer);
        heardAt = performance.now();
      }
      if (answers.length > 0 && performance.now() - heardAt >= quiet * 1_000) return { result, answers };
    }
    if (performance.now() - started + every * 1_000 > timeout * 1_000) {
      const detail = `The poll had no ${until === undefined ? "reply" : "answer that ends it"} within ${timeout} s.`;
      return { result, failure: replyError("upstream_timeout", detail, result) };
    }
    await pause(every * 1_000, facts.signal);
    const request = toStepRequest(target.poll, target, facts);
    const problem = filledProblem({ url: stepUrl(target.poll.url, target.url) }, request);
    if (problem !== null) return { result, failure: refused("upstream_rejected", problem) };
    result = await send(request);
  }
}

const streamed = "The agent answered with a stream although none was asked for.";

function contextOf(
  target: Target,
  { request, modelId }: CallFacts,
  { status, tries }: { status: number; tries: number },
) {
  return { url: target.url, modelId, source: "", request, status, tries };
}

function isStreamed({ stream }: Target, { headers, body }: OutboundBody): boolean {
  if (!stream) return false;
  const type = String(headers["content-type"] ?? "");
  const isLines = stream.format === "ndjson" || /\b(?:x-)?(?:ndjson|jsonl|json-seq|json-lines)\b/i.test(type);
  return isLines || stream.format === "sse" || /^text\/event-stream\b/i.test(type) || /^\s*(?:data|event):/.test(body);
}
