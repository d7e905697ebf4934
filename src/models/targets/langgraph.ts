import { createHash } from "node:crypto";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ChatMessage, ChatModel, ReplyError, ReportedToolCall } from "../../contract/ports/chat-model.ts";
import { nonEmptyString, parseJson, setAt } from "../adapters/reply/json-values.ts";
import { argumentText, callList, contentText } from "../adapters/reply/message-content.ts";
import { invalid, notJson, replyError, type AnswerContext, type ParsedReply } from "../adapters/reply/parsed-reply.ts";
import { noteErrorText } from "../outbound/error-text.ts";
import { agentUsage } from "./answer-reader.ts";
import { targetChat, type CallFacts, type TargetOptions } from "./target-chat.ts";
import { withBody } from "./target-request.ts";
import { sumUsages } from "./ui-messages.ts";

/**
 * An assistant of a LangGraph server (`langgraph dev`, or the platform). Each attempt has a thread, which the server keeps; without
 * threads, the whole conversation is sent with every turn. The answer is the state of the graph, with all messages.
 */
export function langgraphTarget(options: TargetOptions): ChatModel {
  const { target, modelId } = options;
  const { assistant = modelId, stateless = false, world } = target;
  const base = target.url.replace(/(?<!\/)\/+$/, "");
  return targetChat(
    {
      idempotent: stateless,
      ask: async (facts, send, read) => {
        const thread = stateless ? null : threadId(facts.session.issued ?? facts.session.id);
        const sent = toMessages(facts, { stateless });
        const run = {
          assistant_id: assistant,
          input: { messages: sent },
          on_disconnect: "cancel",
          ...(thread !== null && { if_not_exists: "create" }),
        };
        const { world_url } = facts.session;
        const body = withBody(run, target, facts);
        const placed =
          world?.field === undefined || world_url === undefined ? body : setAt(body, world.field, world_url);
        const path = thread === null ? "/runs/wait" : `/threads/${thread}/runs/wait`;
        const result = await send({ url: `${base}${path}`, method: "POST", body: JSON.stringify(placed) });
        const asked = sent.at(-1)?.id ?? "";
        const reply = await read(result, {
          parseReply: (answer, context) => parseState(answer, { asked, context }),
          collectStream: (context) => ({
            add: () => "more",
            finish: () => invalid(context, "The server answered with a stream although none was asked for."),
          }),
        });
        return reply.ok && thread !== null ? { ...reply, session_id: thread } : reply;
      },
    },
    options,
  );
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Threads have UUIDs. The same session always has the same thread. */
function threadId(session: string): string {
  if (uuid.test(session)) return session;
  const hex = createHash("sha256").update(session).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The messages to add to the state. Their ids tell where the turn begins in the state that comes back. */
function toMessages(
  { request, session }: CallFacts,
  { stateless }: { stateless: boolean },
): readonly (JsonRecord & { readonly id: string })[] {
  const messages = request.messages.filter(({ role }) => role !== "system");
  const given = stateless ? messages : messages.filter(({ role }) => role === "user").slice(-1);
  const first = messages.length - given.length;
  return given.flatMap((message, index) =>
    toMessage(message).map((sent, part) => ({ ...sent, id: `${session.id}-${first + index}-${part}` })),
  );
}

/** Calls that the agent answered itself stand before its reply, with their results. */
function toMessage(message: ChatMessage): readonly JsonRecord[] {
  const { role, content } = message;
  if (role === "tool") return [{ role, content, tool_call_id: message.tool_call_id }];
  if (role === "user" && message.parts) {
    const parts = message.parts.map((part) =>
      part.type === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } },
    );
    return [{ role, content: parts }];
  }
  if (role !== "assistant") return [{ role, content }];
  const { tool_calls = [], answered_calls = [] } = message;
  const toCalls = (calls: readonly ReportedToolCall[]) =>
    calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ id, name, arguments: text }) => ({ id, name, args: parseJson(text) ?? {} })) };
  const answered = answered_calls.filter(({ id }) => id !== "");
  const asked = answered.length > 0 ? [{ role, content: "", ...toCalls(answered) }] : [];
  const results = answered.map(({ id, result, error }) => ({
    role: "tool",
    tool_call_id: id,
    content: error ?? (typeof result === "string" ? result : JSON.stringify(result ?? null)),
    ...(error !== undefined && { status: "error" }),
  }));
  return [...asked, ...results, { role, content, ...toCalls(tool_calls) }];
}

function parseState(
  body: string,
  { asked, context }: { asked: string; context: AnswerContext },
): ParsedReply | ReplyError {
  const state = parseJson(body);
  if (!isRecord(state)) return invalid(context, notJson(body));
  const error = state["__error__"];
  if (error !== undefined && error !== null) {
    noteErrorText(isRecord(error) ? `${String(error["error"])}: ${String(error["message"])}` : error);
    return replyError("upstream_error", "The run of the graph ended with an error.", context);
  }
  if (!Array.isArray(state["messages"])) {
    return invalid(
      context,
      "The state of the graph has no list of messages: describe such a graph with protocol http.",
    );
  }
  const messages = state["messages"].filter(isRecord);
  const start = messages.findLastIndex(({ id }) => id === asked);
  const from = start === -1 ? messages.findLastIndex(({ type, role }) => type === "human" || role === "user") : start;
  const ofTurn = messages.slice(from + 1);
  const said = ofTurn.filter(({ type, role }) => type === "ai" || role === "assistant");
  const text = said
    .map(({ content }) => contentText(content) ?? "")
    .filter((part) => part !== "")
    .join("\n\n");
  const calls = callsIn(ofTurn);
  if (text === "" && isWaiting(state)) {
    return replyError("upstream_rejected", "The graph was interrupted and waits for an answer.", context);
  }
  if (text === "" && calls.length === 0) return invalid(context, "The state of the graph has no message of this turn.");
  return {
    ok: true,
    text,
    refusal: null,
    tool_calls: [],
    reported_calls: calls,
    calls_of_turn: true,
    finish_reason: "stop",
    usage: sumUsages(said.flatMap(({ usage_metadata }) => agentUsage(usage_metadata) ?? [])),
    model: context.modelId,
    completion_id: nonEmptyString(said.at(-1)?.["id"]) ?? "",
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    tries: context.tries,
  };
}

const isWaiting = ({ __interrupt__: waiting }: JsonRecord): boolean => Array.isArray(waiting) && waiting.length > 0;

/** The calls of a turn, with the results of the tool messages that have their ids. */
function callsIn(messages: readonly JsonRecord[]): readonly ReportedToolCall[] {
  const results = new Map<string, Pick<ReportedToolCall, "result" | "error">>();
  for (const { type, role, tool_call_id, content, status } of messages) {
    const id = nonEmptyString(tool_call_id);
    if (id === null || (type !== "tool" && role !== "tool")) continue;
    const text = contentText(content);
    const result = text === null ? (content ?? null) : (parseJson(text) ?? text);
    results.set(id, status === "error" ? { error: text ?? "The tool failed." } : { result });
  }
  return messages.flatMap(({ tool_calls, invalid_tool_calls }) =>
    [...callList(tool_calls), ...callList(invalid_tool_calls)].map(({ id, name, args }): ReportedToolCall => {
      const known = nonEmptyString(id) ?? "";
      return { id: known, name: nonEmptyString(name) ?? "", arguments: argumentText(args), ...results.get(known) };
    }),
  );
}
