import { compact } from "../../base/compact.ts";
import { randomUUID } from "node:crypto";
import { pause } from "../../base/deadline.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ChatModel, Reply, ReplyError, ReportedToolCall } from "../../contract/ports/chat-model.ts";
import { argumentText, contentText } from "../adapters/reply/message-content.ts";
import { nonEmptyString, parseJson, setAt } from "../adapters/reply/json-values.ts";
import {
  elapsedMs,
  failedReply,
  invalid,
  notJson,
  replyError,
  type AnswerContext,
  type ParsedReply,
} from "../adapters/reply/parsed-reply.ts";
import { targetChat, type CallFacts, type ReadReply, type SendToTarget, type TargetOptions } from "./target-chat.ts";

type Version = "1.0" | "0.3";

/** The words in which the two versions of the JSON-RPC binding differ. */
const words = {
  "1.0": { send: "SendMessage", get: "GetTask", headers: { "a2a-version": "1.0" }, role: "ROLE_USER" },
  "0.3": { send: "message/send", get: "tasks/get", headers: {}, role: "user" },
} as const satisfies Record<Version, object>;

/** The errors by which an agent of another version answers: unknown method, unknown parameters, version not supported. */
const otherVersion = new Set<unknown>([-32601, -32602, -32009]);
const otherVersionText = "The agent does not know this version of A2A.";

const longestTaskMs = 300_000;
const pollMs = { first: 250, longest: 5_000 } as const;

/**
 * An A2A agent (JSON-RPC, version 1.0 or 0.3). The URL is that of its interface, or of its agent card. The agent keeps the
 * conversation, so each turn sends one message with the context id that the agent gave.
 */
export function a2aTarget(options: TargetOptions): ChatModel {
  const { target } = options;
  let known: { readonly url: string; readonly version: Version | null } | null = null;

  async function findInterface(send: SendToTarget): Promise<typeof known | ReplyError> {
    if (known) return known;
    if (!/\/agent(?:-card)?\.json$/.test(URL.parse(target.url)?.pathname ?? "")) {
      return (known = { url: target.url, version: null });
    }
    // Without this header, an agent of both versions answers with the older card.
    const result = await send({ url: target.url, method: "GET", headers: words["1.0"].headers, body: null });
    if (!result.ok) return result.error;
    const card = result.kind === "body" ? parseJson(result.body) : null;
    const found = interfaceOf(card);
    if (found) return (known = found);
    const { status, tries } = result;
    return replyError("upstream_invalid_reply", "The agent card names no interface with JSON-RPC.", { status, tries });
  }

  return targetChat(
    {
      idempotent: false,
      ask: async (facts, send, read) => {
        const started = performance.now();
        const found = await findInterface(send);
        if (!found || "code" in found) return failedReply(found ?? unknownInterface, elapsedMs(started));
        const call = { facts, send, read, field: target.world?.field, url: found.url };
        // An agent whose version is unknown is asked in the newer one first.
        const reply = await ask(found.version ?? "1.0", call);
        if (found.version !== null || (reply.ok && (known = { ...found, version: "1.0" }))) return reply;
        if (!isOtherVersion(reply)) return reply;
        known = { ...found, version: "0.3" };
        return ask("0.3", call);
      },
    },
    options,
  );

  async function ask(version: Version, call: A2aCall): Promise<Reply> {
    const { facts, send, read, field, url } = call;
    const started = performance.now();
    const message = toParams(version, facts);
    const { world_url } = facts.session;
    const params = field === undefined || world_url === undefined ? message : setAt(message, field, world_url);
    const request = (method: string, body: unknown) => ({
      url,
      method: "POST" as const,
      headers: words[version].headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), method, params: body }),
    });
    let result = await send(request(words[version].send, params));
    for (let wait: number = pollMs.first; ; wait = Math.min(wait * 2, pollMs.longest)) {
      const id = result.ok && result.kind === "body" ? openTask(result.body) : null;
      if (id === null) break;
      if (performance.now() - started > longestTaskMs) return failedReply(tooLong, elapsedMs(started));
      await pause(wait, facts.signal);
      result = await send(request(words[version].get, { id }));
    }
    const reply = await read(result, {
      parseReply,
      collectStream: (context) => ({
        add: () => "more",
        finish: () => invalid(context, "The agent answered with a stream although none was asked for."),
      }),
    });
    return reply.ok ? { ...reply, latency_ms: elapsedMs(started) } : reply;
  }
}

interface A2aCall {
  readonly facts: CallFacts;
  readonly send: SendToTarget;
  readonly read: ReadReply;
  readonly field: string | undefined;
  readonly url: string;
}

const tooLong: ReplyError = {
  code: "upstream_timeout",
  detail: `The task of the agent took longer than ${longestTaskMs / 1000} s.`,
  upstream_status: 200,
  tries: 1,
  retryable: true,
};

const unknownInterface: ReplyError = {
  ...tooLong,
  code: "upstream_invalid_reply",
  detail: "The agent has no interface.",
};

function isOtherVersion(reply: Reply): boolean {
  if (reply.ok) return false;
  const { upstream_status: status, detail } = reply.error;
  return detail === otherVersionText || status === 400 || status === 404;
}

/** The JSON-RPC interface of an agent card, the newest version first. */
function interfaceOf(card: unknown): { readonly url: string; readonly version: Version | null } | null {
  if (!isRecord(card)) return null;
  const listed = list(card["supportedInterfaces"])
    .filter(({ protocolBinding }) => protocolBinding === "JSONRPC")
    .map(({ url, protocolVersion }) => ({ url, version: String(protocolVersion ?? "") }));
  const older = [
    ...((card["preferredTransport"] ?? "JSONRPC") === "JSONRPC" ? [card] : []),
    ...list(card["additionalInterfaces"]).filter(({ transport }) => transport === "JSONRPC"),
  ].map(({ url }) => ({ url, version: String(card["protocolVersion"] ?? "0.3") }));
  for (const [version, prefix] of [
    ["1.0", "1."],
    ["0.3", "0."],
  ] as const) {
    const found = [...listed, ...older].find((each) => each.version.startsWith(prefix) && typeof each.url === "string");
    if (found) return { url: String(found.url), version };
  }
  return null;
}

const list = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** The session id is the context id, with the task that waits for the next message, if any. */
function toParams(version: Version, { request, session }: CallFacts): JsonRecord {
  const text = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const [contextId, taskId] = (session.issued ?? "").split("#");
  const isOld = version === "0.3";
  return {
    message: compact({
      kind: isOld ? "message" : undefined,
      role: words[version].role,
      messageId: randomUUID(),
      parts: [isOld ? { kind: "text", text } : { text }],
      contextId: contextId || undefined,
      taskId: taskId || undefined,
    }),
    configuration: compact({ acceptedOutputModes: ["text/plain"], blocking: isOld ? true : undefined }),
  };
}

interface Answered {
  readonly task: JsonRecord | null;
  readonly message: JsonRecord | null;
  /** The code of a JSON-RPC error; null when there is none. */
  readonly failed: unknown;
}

function readAnswer(body: string): Answered | null {
  const answer = parseJson(body);
  if (!isRecord(answer)) return null;
  const result = isRecord(answer["result"]) ? answer["result"] : {};
  const [task, message] = [result["task"], result["message"]];
  if (isRecord(task)) return { task, message: null, failed: null };
  if (isRecord(message)) return { task: null, message, failed: null };
  const isTask = result["kind"] === "task" || isRecord(result["status"]);
  return {
    task: isTask ? result : null,
    message: !isTask && Array.isArray(result["parts"]) ? result : null,
    failed: isRecord(answer["error"]) ? (answer["error"]["code"] ?? 0) : null,
  };
}

/** `TASK_STATE_INPUT_REQUIRED` and `input-required` are the same. */
function stateOf(task: JsonRecord): string {
  const status = isRecord(task["status"]) ? task["status"] : {};
  return String(status["state"] ?? "")
    .toLowerCase()
    .replace(/^task_state_/, "")
    .replaceAll("_", "-");
}

/** The id of a task that is not finished. */
function openTask(body: string): string | null {
  const task = readAnswer(body)?.task;
  return task && ["submitted", "working"].includes(stateOf(task)) ? nonEmptyString(task["id"]) : null;
}

function parseReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = readAnswer(body);
  if (!answer) return invalid(context, notJson(body));
  if (otherVersion.has(answer.failed)) return replyError("upstream_rejected", otherVersionText, context);
  if (answer.failed !== null) return replyError("upstream_error", "The agent answered with a JSON-RPC error.", context);
  const { task, message } = answer;
  if (!task && !message) return invalid(context, "The answer holds neither a message nor a task.");
  const state = task ? stateOf(task) : "completed";
  if (state === "auth-required") return replyError("upstream_auth", "The agent asks for a login.", context);
  if (!["completed", "input-required"].includes(state)) {
    return replyError(
      "upstream_error",
      `The task of the agent ended as ${/^[a-z-]{1,30}$/.test(state) ? state : "unknown"}.`,
      context,
    );
  }
  const text = task ? taskText(task) : partsText(message?.["parts"]);
  const calls = callsIn(task ? taskParts(task) : list(message?.["parts"]));
  if (text === "" && calls.length === 0) return invalid(context, "The answer of the agent has no text.");
  const contextId = nonEmptyString((task ?? message)?.["contextId"]);
  const open = state === "input-required" ? nonEmptyString(task?.["id"]) : null;
  return compact({
    ok: true,
    text,
    refusal: null,
    tool_calls: [],
    reported_calls: calls.length > 0 ? calls : undefined,
    finish_reason: "stop",
    usage: null,
    model: context.modelId,
    completion_id: nonEmptyString(task?.["id"] ?? message?.["messageId"]) ?? "",
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    tries: context.tries,
    session_id: contextId !== null ? (open === null ? contextId : `${contextId}#${open}`) : undefined,
  });
}

/** The artifacts of a task; else the message of its status, such as a question; else the last message of the agent. */
function taskText(task: JsonRecord): string {
  const artifacts = list(task["artifacts"]).map(({ parts }) => partsText(parts));
  const status = isRecord(task["status"]) && isRecord(task["status"]["message"]) ? task["status"]["message"] : {};
  const said = list(task["history"]).findLast(
    ({ role, parts }) => (role === "agent" || role === "ROLE_AGENT") && partsText(parts) !== "",
  );
  const texts = [
    artifacts.filter((text) => text !== "").join("\n\n"),
    partsText(status["parts"]),
    partsText(said?.["parts"]),
  ];
  return texts.find((text) => text !== "") ?? "";
}

/** Calls are no part of what the agent says. */
function partsText(parts: unknown): string {
  return list(parts)
    .flatMap((part) => {
      const { text, data } = part;
      if (typeof text === "string") return [text];
      return data === undefined || adkType(part) !== null || toolResults(part).length > 0 ? [] : [JSON.stringify(data)];
    })
    .join("");
}

/** The parts of a task in the order in which the agent sent them. A part may be in the history and in an artifact. */
function taskParts(task: JsonRecord): readonly JsonRecord[] {
  const status = isRecord(task["status"]) && isRecord(task["status"]["message"]) ? [task["status"]["message"]] : [];
  const messages = [...list(task["history"]), ...status, ...list(task["artifacts"])];
  return messages.flatMap(({ parts }) => list(parts));
}

function adkType({ metadata }: JsonRecord): string | null {
  return isRecord(metadata) ? nonEmptyString(metadata["adk_type"]) : null;
}

/** The results that a LangGraph server publishes, with the ids and the names of their calls, but not with the arguments. */
function toolResults({ data }: JsonRecord): readonly JsonRecord[] {
  return isRecord(data) ? list(data["tool_results"]) : [];
}

/** Tool calls are not part of A2A, but agents of ADK and of LangGraph servers send them as data. */
function callsIn(parts: readonly JsonRecord[]): readonly ReportedToolCall[] {
  const calls = new Map<string, ReportedToolCall>();
  const add = (id: string | null, given: Partial<ReportedToolCall> & { readonly name: string }): void => {
    const key = id ?? `call-${calls.size + 1}`;
    const asked = calls.get(key) ?? { id: key, arguments: "", arguments_unknown: true as const };
    calls.set(key, { ...asked, ...given });
  };
  for (const part of parts) {
    const { data } = part;
    const type = adkType(part);
    const name = isRecord(data) ? nonEmptyString(data["name"]) : null;
    if (isRecord(data) && name !== null && type === "function_call") {
      const id = nonEmptyString(data["id"]) ?? `call-${calls.size + 1}`;
      calls.set(id, { id, name, arguments: argumentText(data["args"]), ...resultOf(calls.get(id)) });
    } else if (isRecord(data) && name !== null && type === "function_response") {
      add(nonEmptyString(data["id"]), { name, result: data["response"] });
    }
    for (const result of toolResults(part)) {
      const called = nonEmptyString(result["name"]);
      if (called === null) continue;
      const content = contentText(result["content"]) ?? result["content"] ?? null;
      const ended =
        result["status"] === "error" ? { error: String(content) } : { result: parseJson(String(content)) ?? content };
      add(nonEmptyString(result["toolCallId"]), { name: called, ...ended });
    }
  }
  return [...calls.values()];
}

/** The history has the messages of the task, and its artifact may repeat a part of them. */
function resultOf({ result, error }: Partial<ReportedToolCall> = {}): Partial<ReportedToolCall> {
  return compact({ result, error });
}
