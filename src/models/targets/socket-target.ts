import type { ChatModel, ReplyError } from "../../contract/ports/chat-model.ts";
import type { Target } from "../../contract/schemas/acting/target.ts";
import { parseJson } from "../adapters/reply/json-values.ts";
import { elapsedMs, failedReply } from "../adapters/reply/parsed-reply.ts";
import type { OutboundSocket } from "../outbound/outbound.ts";
import { AnswerReader } from "./answer-reader.ts";
import { refused, targetChat, type CallFacts, type TargetOptions } from "./target-chat.ts";
import { toRequest } from "./target-request.ts";
import { holds, type TargetSession } from "./target-session.ts";
import { filledProblem } from "./template.ts";

const quietSeconds = 2;
const timeoutSeconds = 120;
const mostMessages = 10_000;

/** An agent behind a WebSocket: one for each attempt, one message of the user for each turn, and as many of the agent as it sends. */
export function socketTarget(options: TargetOptions): ChatModel {
  const { target } = options;
  const reader = new AnswerReader(target, { asksForTools: false });
  const sockets = new WeakMap<TargetSession, OutboundSocket>();

  async function socketOf(facts: CallFacts): Promise<OutboundSocket | ReplyError> {
    const known = sockets.get(facts.state);
    if (known) return known;
    const request = toRequest(target, facts);
    const problem = filledProblem(target, request);
    if (problem !== null) return refused("upstream_rejected", problem);
    const socket = await facts.connect({ url: request.url, headers: request.headers ?? {} });
    if ("ok" in socket) return socket.error;
    sockets.set(facts.state, socket);
    facts.state.closing.push(() => socket.close());
    if (target.socket?.greeting !== true) return socket;
    const heard = await listen(socket, target, facts);
    const text = reader.said(heard.messages);
    if (heard.failure || text === null) return heard.failure ?? silent("before the user's first message", target);
    facts.state.greeting = text;
    return socket;
  }

  return targetChat(
    {
      idempotent: false,
      ask: async (facts, _send, read) => {
        const socket = await socketOf(facts);
        if ("code" in socket) return failedReply(socket, 0);
        const startedAt = performance.now();
        if (socket.closed) return failedReply(closedEarly(socket), 0);
        // A message that came after the end of the last turn is no answer to this one.
        socket.drain();
        socket.send(toRequest(target, facts).body ?? "");
        const { messages, failure } = await listen(socket, target, facts);
        // What was said before the agent closed the connection is its reply.
        if (failure && (!socket.closed || reader.said(messages) === null)) {
          return failedReply(failure, elapsedMs(startedAt));
        }
        const answered = { ok: true, kind: "body", status: 200, headers: {}, body: "", tries: 1, startedAt } as const;
        return read(answered, {
          parseReply: (_, context) => reader.gather(messages, context),
          collectStream: () => {
            throw new Error("A socket is no stream.");
          },
        });
      },
    },
    options,
  );
}

interface Heard {
  readonly messages: readonly unknown[];
  readonly failure?: ReplyError;
}

/** The messages up to the end of the agent's turn: one that says so, or a time without another. */
async function listen(
  socket: OutboundSocket,
  { socket: settings = {} }: Target,
  { signal }: CallFacts,
): Promise<Heard> {
  const { until, only, timeout = timeoutSeconds, quiet = until === undefined ? quietSeconds : undefined } = settings;
  const messages: unknown[] = [];
  const end = performance.now() + timeout * 1_000;
  while (messages.length < mostMessages) {
    const left = end - performance.now();
    const patience = messages.length > 0 && quiet !== undefined ? Math.min(left, quiet * 1_000) : left;
    const text = await socket.next({ ms: patience, signal });
    if (text === null && socket.closed) return { messages, failure: closedEarly(socket) };
    if (text === null) {
      const isOver = messages.length > 0 && quiet !== undefined;
      return isOver ? { messages } : { messages, failure: lateAnswer(timeout, until !== undefined) };
    }
    const message = parseJson(text) ?? text;
    if (only === undefined || holds(only, message)) messages.push(message);
    if (until !== undefined && holds(until, message)) return { messages };
  }
  return { messages };
}

function lateAnswer(timeout: number, hasUntil: boolean): ReplyError {
  const what = hasUntil ? "No message that ends the turn" : "No message of the agent";
  return { ...refused("upstream_timeout", `${what} came within ${timeout} s.`), tries: 1 };
}

function silent(when: string, { socket }: Target): ReplyError {
  const detail = `The agent said nothing ${when} within ${socket?.timeout ?? timeoutSeconds} s.`;
  return { ...refused("upstream_invalid_reply", detail), tries: 1 };
}

function closedEarly({ closed }: OutboundSocket): ReplyError {
  const detail =
    closed?.code === 1009
      ? "The agent sent a message that is larger than is accepted."
      : `The agent closed the WebSocket (code ${closed?.code ?? 1006}).`;
  return { ...refused("upstream_reset", detail), tries: 1 };
}
