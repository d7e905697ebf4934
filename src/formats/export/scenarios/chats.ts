import { compact } from "../../../base/compact.ts";
import type { ExportResult, FileInteraction, FileScenario, Note } from "../../scenario-file.ts";
import { plainArguments } from "../../shared/tool-calls.ts";
import { jsonLines, listOrLines } from "../../documents/serialize.ts";
import { noteUnsupportedParts } from "./unsupported-parts.ts";

export interface ChatLine {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A call as a chat holds it. `result` is the text of its outcome, if that is known. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly result: string | undefined;
}

/** A turn as messages: the user's, the tool calls with their results, the reply. */
interface ChatTurn {
  readonly lines: readonly ChatLine[];
  /** True if a reply or calls follow the user's message. */
  readonly isAnswered: boolean;
  /** True if calls are not in the lines: they have matchers, or a reply follows them and their results are unknown. */
  readonly lacksCalls: boolean;
  /** True if calls without results end the turn. */
  readonly isOpen: boolean;
}

/** The messages of each turn. The recorded results of the scenario's world answer the expected calls. */
function chatTurns({ interactions, world }: FileScenario): ChatTurn[] {
  const recorded = [...(world?.recorded ?? [])];
  let number = 0;
  return interactions.map(({ user_message, reference_reply, reference_tool_calls = [] }) => {
    const user: ChatLine = { role: "user", content: user_message };
    const reply: ChatLine[] = reference_reply === "" ? [] : [{ role: "assistant", content: reference_reply }];
    const calls = reference_tool_calls.map((call) => writtenCall(call, recorded));
    const known = calls.filter((call) => call !== undefined);
    const isWhole =
      known.length === calls.length && (reply.length === 0 || known.every(({ result }) => result !== undefined));
    const made = isWhole && known.length > 0 ? callLines(known, () => `call_${++number}`) : [];
    return {
      lines: [user, ...made, ...reply],
      isAnswered: made.length + reply.length > 0,
      lacksCalls: calls.length > 0 && !isWhole,
      isOpen: made.length > 0 && known.some(({ result }) => result === undefined),
    };
  });
}

type Recorded = NonNullable<NonNullable<FileScenario["world"]>["recorded"]>;
type ExpectedCall = NonNullable<FileInteraction["reference_tool_calls"]>[number];

/** Takes the result of a call from the recorded ones. Undefined for a call with any arguments or with matchers, which only we have. */
function writtenCall({ name, arguments: expected }: ExpectedCall, recorded: Recorded): WrittenCall | undefined {
  const given = plainArguments(expected);
  if (!given) return undefined;
  const key = JSON.stringify(given);
  const index = recorded.findIndex((call) => call.name === name && JSON.stringify(call.arguments) === key);
  const [found] = index < 0 ? [] : recorded.splice(index, 1);
  const result = found?.error ?? found?.result;
  return { name, arguments: given, result: result === undefined ? undefined : textOf(result) };
}

/** A message with calls, and a message for each known result. */
export function callLines(calls: readonly WrittenCall[], nextId: () => string): ChatLine[] {
  const named = calls.map((call) => ({ ...call, id: nextId() }));
  const isKnown = named.every(({ result }) => result !== undefined);
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: named.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        // Arguments that are not valid JSON were recorded as text.
        function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) },
      })),
    },
    ...(isKnown ? named : []).map(({ id, result = "" }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: result,
    })),
  ];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const systemLine = ({ system_prompt }: FileScenario): ChatLine[] =>
  system_prompt ? [{ role: "system", content: system_prompt }] : [];

/** The scripted conversation; a turn without a reference reply and calls has only the user's message. */
export function messagesOf(scenario: FileScenario): ChatLine[] {
  return [...systemLine(scenario), ...chatTurns(scenario).flatMap(({ lines }) => lines)];
}

interface ExportedQuestion {
  /** The conversation up to the last question. */
  readonly messages: ChatLine[];
  readonly reference: string;
}

/** The conversation up to the last question, and the reply expected to it. */
export function questionOf(scenario: FileScenario): ExportedQuestion {
  const turns = chatTurns(scenario);
  const before = turns.slice(0, -1).flatMap(({ lines }) => lines);
  const asked = turns.at(-1)?.lines[0];
  return {
    messages: [...systemLine(scenario), ...before, ...(asked ? [asked] : [])],
    reference: scenario.interactions.at(-1)?.reference_reply ?? "",
  };
}

/** The tools of a scenario's world as chat APIs declare them. */
export function declaredTools({ world }: FileScenario): object {
  const tools = (world?.tools ?? []).map(({ name, description, parameters }) => ({
    type: "function",
    function: compact({ name, description: description !== "" ? description : undefined, parameters }),
  }));
  return tools.length > 0 ? { tools } : {};
}

/** Notes turns whose expected calls a chat cannot hold. */
function noteUnwrittenCalls(scenarios: readonly FileScenario[]): Note[] {
  return scenarios.flatMap((scenario) =>
    chatTurns(scenario).flatMap(({ lacksCalls }, index): Note[] =>
      lacksCalls
        ? [
            {
              kind: "dropped",
              message: `${scenario.id}, turn ${index + 1}: the expected tool calls, because their results are unknown or their arguments are not plain values`,
              subject: "turns with expected tool calls that the format cannot hold",
            },
          ]
        : [],
    ),
  );
}

/** Fine-tuning lines from the reference replies and tool calls. A conversation ends before its first turn without either. */
export function exportOpenaiChat(scenarios: readonly FileScenario[]): ExportResult {
  const notes: Note[] = [];
  const lines = scenarios.flatMap((scenario) => {
    const turns = chatTurns(scenario);
    const missing = turns.findIndex(({ isAnswered }) => !isAnswered);
    const open = turns.findIndex(({ isOpen }) => isOpen);
    const end = Math.min(missing < 0 ? turns.length : missing, open < 0 ? turns.length : open + 1);
    if (end < turns.length)
      notes.push({
        kind: "dropped",
        message:
          end === missing
            ? `${scenario.id}: dropped from turn ${end + 1} on, because that turn has no reference reply`
            : `${scenario.id}: dropped from turn ${end + 1} on, because the results of the tool calls before it are unknown`,
      });
    const messages = [...systemLine(scenario), ...turns.slice(0, end).flatMap((turn) => turn.lines)];
    return end === 0 ? [] : [{ messages, ...declaredTools(scenario) }];
  });
  const lost = noteUnsupportedParts(scenarios, [
    "description",
    "tags",
    "metadata",
    "tool rules",
    "world",
    "simulated user",
    "labels",
    "references",
    "checks",
    "interaction types",
    "agent replies",
    "generated labels",
  ]);
  const ids: Note[] =
    lines.length > 0 ? [{ kind: "dropped", message: "the format does not support ids of scenarios and turns" }] : [];
  // Missing turns come first, then missing fields.
  const calls = noteUnwrittenCalls(scenarios);
  return { text: jsonLines(lines), written: lines.length, notes: [...notes, ...calls, ...ids, ...lost] };
}

const from = { system: "system", user: "human", assistant: "gpt", tool: "observation" } as const;

/** A list of `{id, conversations}`; tool calls and results are messages of their own, in the form of LLaMA-Factory. */
export function exportShareGpt(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const items = scenarios.map((scenario) =>
    compact({
      id: scenario.id,
      conversations: messagesOf(scenario).flatMap(toShareGpt),
      tools: scenario.world ? JSON.stringify(toolsOf(scenario)) : undefined,
    }),
  );
  const missing = [
    "interaction ids",
    "description",
    "tags",
    "metadata",
    "tool rules",
    "world",
    "simulated user",
    "labels",
    "references",
    "checks",
    "interaction types",
    "agent replies",
    "generated labels",
  ] as const;
  const notes = [...noteUnwrittenCalls(scenarios), ...noteUnsupportedParts(scenarios, missing)];
  return { text: listOrLines(items, ending), notes };
}

function toShareGpt({ role, content, tool_calls }: ChatLine): object[] {
  if (!tool_calls) return [{ from: from[role], value: content }];
  return tool_calls.map(({ function: { name, arguments: given } }) => ({
    from: "function_call",
    value: JSON.stringify({ name, arguments: JSON.parse(given) as unknown }),
  }));
}

const toolsOf = ({ world }: FileScenario): object[] =>
  (world?.tools ?? []).map(({ name, description, parameters }) => ({ name, description, parameters }));
