import { compact } from "../../base/compact.ts";
import { isRecord } from "../../base/json.ts";
import type { ContextPassage } from "../../contract/schemas/acting/context.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";

/** A turn that was run. `reply` is null when it failed. */
export interface JudgedTurn {
  readonly user_message: string;
  readonly reply: string | null;
  readonly references?: readonly string[];
  readonly tool_calls?: readonly RecordedToolCall[];
  /** The passages that were retrieved for the reply. */
  readonly context?: readonly ContextPassage[];
}

/** What holds for the whole conversation. */
export interface JudgedSetting {
  readonly systemPrompt?: string | undefined;
  /** The tools that the assistant was offered. */
  readonly tools?:
    | readonly { readonly name: string; readonly description?: string | undefined; readonly parameters?: unknown }[]
    | undefined;
  /** Rules of the scenario beside the system prompt. */
  readonly policy?: string | undefined;
  /** Characters of material that a judge is shown. Default: 60,000. */
  readonly maxCharacters?: number | undefined;
}

/** The material of a question, with notes of what was shortened to fit. */
export interface JudgeMaterial {
  readonly material: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly string[];
}

/** A little less than 20,000 tokens. */
const defaultCharacters = 60_000;

/** The parts of the material, the most important ones last: these are shortened last. */
const byImportance = [
  "tools_offered",
  "conversation_before",
  "context",
  "system_prompt",
  "conversation",
  "tool_calls",
  "policy",
  "reference_replies",
  "user_message",
  "reply_to_judge",
];

/** The material for a verdict on one reply. The number of its turn is that in evidence. */
export function turnMaterial(
  turn: JudgedTurn,
  { before, setting = {} }: { before: readonly JudgedTurn[]; setting?: JudgedSetting | undefined },
): JudgeMaterial {
  const { user_message, reply, references = [], tool_calls = [], context = [] } = turn;
  const parts = {
    ...settingParts(setting),
    conversation_before: toLines(before),
    turn: before.length + 1,
    user_message,
    tool_calls: tool_calls.length > 0 ? tool_calls.map(toCall) : undefined,
    context: context.length > 0 ? context : undefined,
    reference_replies: references,
    reply_to_judge: reply ?? "",
  };
  return fit(compact(parts), setting.maxCharacters);
}

/** The material for a verdict on a whole conversation. */
export function conversationMaterial(turns: readonly JudgedTurn[], setting: JudgedSetting = {}): JudgeMaterial {
  const conversation = turns.flatMap((turn, index) =>
    turn.reply === null ? [] : [{ ...toLine(turn, index), reference_replies: turn.references ?? [] }],
  );
  return fit(compact({ ...settingParts(setting), conversation }), setting.maxCharacters);
}

function settingParts({ systemPrompt, tools = [], policy }: JudgedSetting): Record<string, unknown> {
  return {
    system_prompt: systemPrompt === "" ? undefined : systemPrompt,
    policy,
    tools_offered:
      tools.length > 0
        ? tools.map(({ name, description, parameters }) => compact({ name, description, parameters }))
        : undefined,
  };
}

/** The conversation as the model saw it, without failed turns. */
export function answeredTurns(turns: readonly JudgedTurn[]): readonly JudgedTurn[] {
  return turns.filter(({ reply }) => reply !== null);
}

export function toLines(turns: readonly JudgedTurn[]): Record<string, unknown>[] {
  return turns.flatMap((turn, index) => (turn.reply === null ? [] : [toLine(turn, index)]));
}

function toLine(
  { user_message, reply, tool_calls = [], context = [] }: JudgedTurn,
  index: number,
): Record<string, unknown> {
  return compact({
    turn: index + 1,
    user: user_message,
    tool_calls: tool_calls.length > 0 ? tool_calls.map(toCall) : undefined,
    context: context.length > 0 ? context : undefined,
    assistant: reply,
  });
}

/** The id of a call in the material, and in evidence. */
export const callId = ({ id }: RecordedToolCall, index: number): string => (id === "" ? `call-${index + 1}` : id);

function toCall(call: RecordedToolCall, index: number): Record<string, unknown> {
  const { name, arguments: given, result, error } = call;
  return compact({ call: callId(call, index), name, arguments: given, result, error });
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** Shortens parts until all fit, the least important first. */
function fit(parts: Record<string, unknown>, most = defaultCharacters): JudgeMaterial {
  const material = { ...parts };
  const leftOut: string[] = [];
  const sizes = new Map(Object.entries(material).map(([name, value]) => [name, sizeOf(value)]));
  let excess = sizes.values().reduce((sum, size) => sum + size, 0) - most;
  for (const name of byImportance) {
    const size = sizes.get(name) ?? 0;
    if (excess <= 0 || size === 0) continue;
    // What matters most keeps some of its text, whatever else there is.
    const room = Math.max(size - excess, Math.floor(most / 20));
    if (room >= size) continue;
    const { value, note } = shortened(material[name], room);
    material[name] = value;
    leftOut.push(`${name}: ${note} (${size} characters)`);
    excess -= size - sizeOf(value);
  }
  if (leftOut.length === 0) return { material, leftOut };
  return { material: { left_out: leftOut, ...material }, leftOut };
}

const stringLengths = [20_000, 5_000, 2_000, 500, 100];

/** A value in at most this many characters: long texts lose their middle, then lists their first items. */
function shortened(value: unknown, room: number): { readonly value: unknown; readonly note: string } {
  if (typeof value === "string") return { value: withoutMiddle(value, room), note: "shortened" };
  for (const length of stringLengths) {
    const cut = cutStrings(value, length);
    if (sizeOf(cut) <= room) return { value: cut, note: "long texts shortened" };
  }
  let list: readonly unknown[] = Array.isArray(value) ? (cutStrings(value, 100) as unknown[]) : [];
  const all = list.length;
  while (list.length > 0 && sizeOf(list) > room) list = list.slice(Math.max(1, Math.floor(list.length / 4)));
  return { value: list, note: `long texts shortened, ${all - list.length} of ${all} entries left out` };
}

function cutStrings(value: unknown, length: number): unknown {
  if (typeof value === "string") return value.length > length ? withoutMiddle(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, length));
  if (!isRecord(value)) return value;
  // Data is one text where its parts are short, but many.
  const text = JSON.stringify(value);
  const isData = text.length > 4 * length && !("user" in value) && !("call" in value);
  if (isData) return withoutMiddle(text, length);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isLong = (key === "result" || key === "arguments") && typeof item === "object" && sizeOf(item) > length;
      return [key, isLong ? withoutMiddle(JSON.stringify(item), length) : cutStrings(item, length)];
    }),
  );
}

function withoutMiddle(text: string, room: number): string {
  if (text.length <= room) return text;
  const kept = Math.max(20, room - 60);
  const head = text.slice(0, Math.ceil(kept * 0.7)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(kept * 0.3)).toWellFormed();
  return `${head} […${text.length - head.length - tail.length} characters left out…] ${tail}`;
}
