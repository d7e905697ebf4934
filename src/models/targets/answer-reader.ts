import { compact } from "../../base/compact.ts";
import { canonicalJson, isRecord, toPointer } from "../../base/json.ts";
import type {
  ChatRequest,
  ReplyError,
  ReportedToolCall,
  TokenUsage,
  ToolCall,
} from "../../contract/ports/chat-model.ts";
import { readPassages } from "../../contract/schemas/acting/context.ts";
import type { CallPlaces, Target } from "../../contract/schemas/acting/target.ts";
import { labels, nonEmptyString, parseJson } from "../adapters/reply/json-values.ts";
import { argumentText, contentText, withUniqueIds } from "../adapters/reply/message-content.ts";
import {
  invalid,
  notJson,
  replyError,
  tokenUsage,
  type AnswerContext,
  type ParsedReply,
} from "../adapters/reply/parsed-reply.ts";
import type { ReplyCollector, StreamListeners } from "../adapters/reply/reply-stream.ts";
import { valuesAt } from "./template.ts";

/** Reads the answers of a target by its pointers. */
export class AnswerReader {
  readonly #target: Target;
  readonly #asksForTools: boolean;

  constructor(target: Target, { asksForTools }: { asksForTools: boolean }) {
    this.#target = target;
    this.#asksForTools = asksForTools;
  }

  parse(body: string, context: AnswerContext): ParsedReply | ReplyError {
    const { reply: pointer } = this.#target;
    const answer = parseJson(body);
    if (answer === undefined && (pointer ?? "") !== "") return invalid(context, notJson(body));
    const failure = this.#failureIn(answer, context);
    if (failure) return failure;
    const calls = this.#calls([answer], context.request);
    const text = pointer === undefined ? textOf([answer ?? body]) : textOf(valuesAt(answer ?? body, pointer));
    if (text === null && calls.calls.length === 0) return this.#nothing(pointer, context);
    return this.#toReply(text ?? "", { ...calls, answers: [answer], context });
  }

  collect(context: AnswerContext, { onToken, onText }: StreamListeners): ReplyCollector {
    const { delta = "", event: wanted } = this.#target.stream ?? {};
    const pieces: string[] = [];
    const events: unknown[] = [];
    return {
      add: ({ event, data }) => {
        if (data.trim() === "[DONE]") return "done";
        const value = parseJson(data) ?? (delta === "" ? data : undefined);
        if (value === undefined) return invalid(context, "The stream holds an event that is not JSON.");
        const failure = this.#failureIn(value, context);
        if (failure) return failure;
        if (isRecord(value)) events.push(value);
        const piece = wanted === undefined || wanted === event ? textOf(valuesAt(value, delta)) : null;
        if (piece !== null && piece !== "") {
          pieces.push(piece);
          onToken();
          onText(piece);
        }
        return "more";
      },
      finish: () => {
        const calls = this.#calls(events, context.request, { isStream: true });
        const whole =
          this.#target.reply === undefined ? [] : events.flatMap((value) => valuesAt(value, this.#target.reply ?? ""));
        const text = pieces.length > 0 ? pieces.join("") : textOf(whole.slice(-1));
        if (text === null && calls.calls.length === 0) return this.#nothing(delta, context);
        return this.#toReply(text ?? "", { ...calls, answers: events, context });
      },
    };
  }

  /** What the agent said in several answers, such as the messages of a socket: in pieces, if the target says where, or in texts. */
  said(answers: readonly unknown[]): string | null {
    const { reply, stream } = this.#target;
    const pieces = stream ? answers.flatMap((answer) => textOf(valuesAt(answer, stream.delta)) ?? []) : [];
    if (pieces.length > 0) return pieces.join("");
    const texts = answers.flatMap((answer) => {
      if (reply === undefined) return stream ? [] : [textOf([answer])];
      return [textOf(valuesAt(answer, reply))];
    });
    const said = texts.filter((text) => text !== null && text !== "");
    return said.length === 0 ? null : said.join("\n\n");
  }

  /** The reply that several answers are together. */
  gather(answers: readonly unknown[], context: AnswerContext): ParsedReply | ReplyError {
    for (const answer of answers) {
      const failure = this.#failureIn(answer, context);
      if (failure) return failure;
    }
    const calls = this.#calls(answers, context.request, { isStream: true });
    const text = this.said(answers);
    if (text === null && calls.calls.length === 0) return this.#nothing(this.#target.reply, context);
    return this.#toReply(text ?? "", { ...calls, answers, context });
  }

  #failureIn(answer: unknown, context: AnswerContext): ReplyError | null {
    const { error } = this.#target;
    if (error === undefined) return null;
    const failed = valuesAt(answer, error).some(
      (value) => value !== null && value !== false && value !== "" && value !== 0,
    );
    return failed ? replyError("upstream_error", `The answer has an error at ${error}.`, context) : null;
  }

  #nothing(pointer: string | undefined, context: AnswerContext): ReplyError {
    const place = (pointer ?? "") === "" ? "" : ` at ${pointer}`;
    return invalid(context, `The answer has no text${place}: check it with rehearsal probe.`);
  }

  #toReply(
    text: string,
    {
      calls,
      tellsCalls,
      isOfTurn,
      answers,
      context,
    }: CallsOfAnswer & { readonly answers: readonly unknown[]; readonly context: AnswerContext },
  ): ParsedReply {
    const { usage, labels: labelsAt, session, context: passages } = this.#target;
    const last = (pointer: string | undefined): unknown =>
      pointer === undefined ? undefined : answers.flatMap((answer) => valuesAt(answer, pointer)).at(-1);
    // Where the template offers tools, a call without a result waits for one.
    const pending = this.#asksForTools
      ? calls.filter(({ result, error }) => result === undefined && error === undefined)
      : [];
    const id = last(session);
    return {
      ok: true,
      text,
      refusal: null,
      tool_calls: withUniqueIds(pending as readonly ToolCall[]),
      ...(tellsCalls && { reported_calls: calls.filter((call) => !pending.includes(call)) }),
      ...(isOfTurn && { calls_of_turn: true }),
      finish_reason: pending.length > 0 ? "tool_calls" : "stop",
      usage: agentUsage(last(usage)),
      model: context.modelId,
      completion_id: "",
      system_fingerprint: null,
      service_tier: null,
      logprobs: null,
      metadata: labels(last(labelsAt)),
      context: passages && readPassages(answers.flatMap((answer) => valuesAt(answer, passages.at)).flat()),
      tries: context.tries,
      ...((typeof id === "string" || typeof id === "number") && { session_id: String(id) }),
    };
  }

  /**
   * Whether an answer shows the calls of its turn: not where it has no such place, has null there, or a list of which nothing can be
   * read as a call. The events of a stream need not have the place.
   */
  #tellsCalls(answers: readonly unknown[], { at, optional, isStream }: CallPlaces & { isStream: boolean }): boolean {
    const listed = answers.flatMap((answer) => valuesAt(answer, at));
    if (listed.length > 0) return listed.some((value) => value !== null);
    const [list = ""] = at.split("/*");
    return isStream || optional === true || answers.some((answer) => valuesAt(answer, list).some(Array.isArray));
  }

  /** The calls that this turn made, each once: an answer may repeat the conversation, and a stream a call that goes on. */
  #calls(
    answers: readonly unknown[],
    { messages }: ChatRequest,
    { isStream = false }: { isStream?: boolean } = {},
  ): CallsOfAnswer {
    const { tool_calls: places } = this.#target;
    if (places === undefined) return { calls: [], tellsCalls: false, isOfTurn: false };
    const { at, optional, ...fields } = typeof places === "string" ? { at: places } : places;
    const sent = new Set(
      messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []).map(callKey) : [])),
    );
    const results = new Map(answers.flatMap((answer) => [...resultMessages(answer)]));
    const calls = new Map<string, ReportedToolCall>();
    const asked = messages.findLast(({ role }) => role === "user");
    const found = answers.map((answer) => valuesOfTurn(answer, at, asked?.content));
    const isOfTurn = found.every(({ isCut, values }) => isCut || values.length === 0);
    const listed = found
      .flatMap(({ values }) => values)
      .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
    let unread = 0;
    for (const value of listed) {
      const call = toCall(value, fields);
      if (!call && at !== "" && !isOtherEntry(value)) unread += 1;
      if (!call || (!isOfTurn && call.id !== "" && sent.has(callKey(call)))) continue;
      const ended = call.result === undefined && call.error === undefined ? results.get(call.id) : undefined;
      const key = call.id === "" ? `#${calls.size}` : isStream ? `${call.id} ${call.name}` : callKey(call);
      const { arguments_unknown: _, ...known } = calls.get(key) ?? {};
      calls.set(key, call.arguments_unknown ? { ...call, ...known, ...ended } : { ...known, ...call, ...ended });
    }
    const isReadable = unread === 0 || unread < listed.length;
    const tellsCalls = isReadable && this.#tellsCalls(answers, compact({ at, optional, isStream }));
    return { calls: [...calls.values()], tellsCalls, isOfTurn };
  }
}

interface CallsOfAnswer {
  readonly calls: readonly ReportedToolCall[];
  /** False where the answer does not show which calls were made. */
  readonly tellsCalls: boolean;
  /** False where the answer may repeat calls of earlier turns. */
  readonly isOfTurn: boolean;
}

/**
 * The values at a pointer. Where its first list has the user's message, only those after it: what stands before belongs to earlier
 * turns, and ids alone do not tell, since some models number their calls from 0 in every turn. A message must match whole, because
 * agents that pass work on write messages in the user's role too.
 */
function valuesOfTurn(answer: unknown, at: string, said: unknown): { values: readonly unknown[]; isCut: boolean } {
  const [before = "", ...after] = at.split("/*");
  const [list] = after.length > 0 ? valuesAt(answer, before) : [];
  const asked = contentText(said)?.trim();
  const index = Array.isArray(list)
    ? list.findLastIndex((item) => isFromUser(item) && contentText(item["content"])?.trim() === asked)
    : -1;
  if (!Array.isArray(list) || asked === undefined || index === -1)
    return { values: valuesAt(answer, at), isCut: false };
  return { values: valuesAt(list.slice(index + 1), `/*${after.join("/*")}`), isCut: true };
}

function isFromUser(item: unknown): item is Readonly<Record<string, unknown>> {
  return isRecord(item) && [item["role"], item["type"]].some((kind) => kind === "user" || kind === "human");
}

/** Null, or an entry whose type says that it is something else than a call, such as a block of text. */
function isOtherEntry(value: unknown): boolean {
  if (!isRecord(value)) return value === null;
  const kind = value["type"] ?? value["event"] ?? value["kind"] ?? value["role"];
  return typeof kind === "string" && !/tool|function|call|action/i.test(kind);
}

const callKey = ({ id, name, arguments: given }: Pick<ToolCall, "id" | "name" | "arguments">): string =>
  JSON.stringify([id, name, canonicalJson(parseJson(given) ?? given)]);

/** Results that stand in messages of their own, by the id of their call: those of OpenAI, LangChain and the AI SDK. */
function* resultMessages(answer: unknown): Iterable<readonly [string, Pick<ReportedToolCall, "result" | "error">]> {
  if (Array.isArray(answer)) for (const item of answer) yield* resultMessages(item);
  if (!isRecord(answer)) return;
  const id = nonEmptyString(answer["tool_call_id"] ?? answer["toolCallId"]);
  const isResult = [answer["role"], answer["type"]].some((kind) =>
    /^(?:tool|tool-?(?:message|result|output-available))$/i.test(String(kind)),
  );
  if (id !== null && isResult) {
    const content = answer["content"] ?? answer["result"] ?? answer["output"] ?? null;
    const text = contentText(content);
    const result = text === null ? content : (parseJson(text) ?? text);
    const isError = answer["status"] === "error" || answer["isError"] === true;
    yield [id, isError ? { error: text ?? JSON.stringify(content) } : { result }];
  }
  for (const value of Object.values(answer)) if (typeof value === "object") yield* resultMessages(value);
}

const callIds = ["id", "tool_call_id", "toolCallId", "call_id"];
const callNames = ["name", "tool_name", "toolName", "tool", "action"];
const callArguments = [
  "arguments",
  "args",
  "input",
  "parameters",
  "params",
  "kwargs",
  "tool_args",
  "toolArgs",
  "tool_input",
  "toolInput",
  "action_input",
];
const callResults = ["result", "output", "response", "observation", "tool_output"];

/** The fields of a call where they have unusual names. */
type CallFields = Omit<CallPlaces, "at" | "optional">;

/** A call in the form of OpenAI, Anthropic, LangChain or one with the usual names. */
export function toCall(value: unknown, fields: CallFields = {}): ReportedToolCall | null {
  if (!isRecord(value)) return null;
  const inner = isRecord(value["function"]) ? { ...value, ...value["function"] } : value;
  const found = (named: string | undefined, usual: readonly string[]): readonly unknown[] => {
    if (named === undefined) return usual.flatMap((name) => (inner[name] === undefined ? [] : [inner[name]]));
    return valuesAt(value, named.startsWith("/") ? named : toPointer([named])).filter((each) => each !== undefined);
  };
  const first = (values: readonly unknown[]): unknown => values.find((each) => each !== null);
  const name = nonEmptyString(first(found(fields.name, callNames)));
  if (name === null) return null;
  const given = found(fields.arguments, callArguments);
  const result = first(found(fields.result, callResults));
  const error = inner["error"] ?? (inner["tool_call_error"] === true ? (result ?? "The tool failed.") : undefined);
  const ms = inner["duration_ms"] ?? inner["ms"];
  const id = first(found(fields.id, callIds));
  return {
    id: typeof id === "number" ? String(id) : (nonEmptyString(id) ?? ""),
    name,
    arguments: given.length === 0 ? "" : argumentText(first(given)),
    ...(given.length === 0 && { arguments_unknown: true as const }),
    ...(error !== undefined && error !== null && error !== false
      ? { error: nonEmptyString(error) ?? JSON.stringify(error) }
      : result !== undefined && { result }),
    ...(typeof ms === "number" && ms >= 0 && { ms }),
  };
}

/** Several texts are the messages of one reply. Null when there is none. */
function textOf(values: readonly unknown[]): string | null {
  const texts = values.flatMap((value) => {
    if (value === null || value === undefined) return [];
    const text = contentText(value);
    if (text !== null) return [text];
    return [typeof value === "object" ? JSON.stringify(value) : String(value)];
  });
  return texts.length === 0 ? null : texts.join("\n\n");
}

/** The token counts of an agent: those of JavaScript are often named `promptTokens`. */
export function agentUsage(value: unknown): TokenUsage | null {
  return tokenUsage(camelToSnake(value));
}

function camelToSnake(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const renamed = Object.entries(value).map(([key, count]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    count,
  ]);
  return { ...Object.fromEntries(renamed), ...value };
}
