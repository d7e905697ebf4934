import type { JsonRecord } from "../../base/json.ts";
import { reservedPrefixes, reservedScores } from "../../contract/schemas/scores/score-names.ts";
import { TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import type { ContextPassage } from "../../contract/schemas/acting/context.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import type { UnmappedCheck } from "../scenario-file.ts";
import type { ImportedTool, ImportedToolCall } from "./tool-calls.ts";

export type UnmappedCheckDraft = Omit<UnmappedCheck, "scenario_id" | "interaction_id">;

/** A turn as an importer found it; the collector validates it and gives it an id. */
export interface ImportedTurn {
  readonly user: string;
  /** Sent in place of the user's message. */
  readonly prompt?: string | undefined;
  readonly id?: unknown;
  readonly reference?: string | undefined;
  readonly references?: readonly string[] | undefined;
  /** The reply of a past run. */
  readonly reply?: string | undefined;
  /** Retrieved passages. */
  readonly context?: readonly (string | ContextPassage)[] | undefined;
  readonly type?: string | undefined;
  readonly labels?: JsonRecord | undefined;
  readonly generated?: JsonRecord | undefined;
  /** Checks in the contract's form. */
  readonly checks?: readonly unknown[] | undefined;
  /** Assertions of the other tool that have no equivalent check. */
  readonly unmapped?: readonly UnmappedCheckDraft[];
  /** Expected tool calls in the contract's form; an empty list means none. */
  readonly expected?: readonly unknown[] | undefined;
  /** The calls that were made, for a recorded world. */
  readonly calls?: readonly ImportedToolCall[] | undefined;
}

export interface ImportedScenario {
  readonly place: SourceLocation;
  readonly turns: readonly ImportedTurn[];
  readonly id?: unknown;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly system?: string | undefined;
  /** Anything else about the scenario. */
  readonly metadata?: JsonRecord | undefined;
  /** The tools that the file declares. */
  readonly tools?: readonly ImportedTool[] | undefined;
  /** In the contract's form. Without it, a world is made of the tools and calls; null means none. */
  readonly world?: unknown;
  readonly matching?: unknown;
  readonly expect?: unknown;
  readonly user?: unknown;
  readonly variants?: readonly ImportedVariant[] | undefined;
}

/** Another wording of a scenario's messages, for the same expectations. */
export interface ImportedVariant {
  readonly name: string;
  readonly system: string | undefined;
  /** The user's messages, one for each turn. */
  readonly users: readonly string[];
}

/** One step of a trace, in the words of every tracing tool. */
export interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  readonly trace: string;
  /** The conversation that the trace is a part of. */
  readonly session: string | undefined;
  readonly name: string;
  readonly kind: "model" | "tool" | "other";
  /** Sorts the spans of a trace and the traces of a session. */
  readonly start: number;
  readonly input: unknown;
  readonly output: unknown;
  /** The messages of a model call: those it was sent, and its answer. */
  readonly messages?: { readonly sent: readonly unknown[]; readonly answered: readonly unknown[] } | undefined;
  /** The call of a tool, with its outcome. */
  readonly call?: ImportedToolCall | undefined;
  readonly tools?: unknown;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: JsonRecord | undefined;
  /** The model that was called. */
  readonly model?: string | undefined;
  /** True when the step failed. */
  readonly failed?: boolean | undefined;
  readonly place: SourceLocation;
}

export interface ExpectedReply {
  readonly reference: string | undefined;
  readonly references?: readonly string[];
  /** Expected tool calls in the contract's form. */
  readonly expected?: readonly unknown[] | undefined;
  readonly calls?: readonly ImportedToolCall[] | undefined;
}

/** The expectations for the reply to the last user message. */
export interface LastTurn extends ExpectedReply {
  readonly reply?: string | undefined;
  readonly context?: readonly ContextPassage[] | undefined;
  readonly labels?: JsonRecord;
  readonly checks?: readonly unknown[];
  readonly unmapped?: readonly UnmappedCheckDraft[];
}

/** Adds the expected reply, labels and checks to the last turn. */
export function completeLastTurn(turns: readonly ImportedTurn[], last: LastTurn): ImportedTurn[] {
  return turns.map((turn, index) => (index < turns.length - 1 ? turn : completeTurn(turn, last)));
}

function completeTurn(
  turn: ImportedTurn,
  { reference, references, reply, context, labels, checks, unmapped, expected, calls }: LastTurn,
): ImportedTurn {
  return {
    ...turn,
    reference: reference ?? turn.reference,
    ...(references && references.length > 0 && { references }),
    ...(reply !== undefined && { reply }),
    ...(context && { context }),
    ...(labels && { labels }),
    ...(checks && checks.length > 0 && { checks }),
    ...(unmapped && unmapped.length > 0 && { unmapped }),
    ...(expected && { expected }),
    ...(calls && calls.length > 0 && { calls: [...(turn.calls ?? []), ...calls] }),
  };
}

/** A turn of a recording: what was said and done is not what is expected, unless that was asked for. */
export function recordedTurn(
  turn: ImportedTurn,
  { expectsRecorded }: { readonly expectsRecorded: boolean },
): ImportedTurn {
  if (expectsRecorded) return turn;
  const { reference, references: _, expected: __, ...rest } = turn;
  return { ...rest, reply: turn.reply ?? (reference || undefined) };
}

/** Names a check after its score in the other tool. A name that is invalid, reserved or already used in the turn is dropped. */
export function namedCheck(
  check: TurnCheck,
  { name: wanted, beside }: { name: string | undefined; beside: readonly TurnCheck[] },
): TurnCheck {
  const name = wanted?.trim().replace(/[^A-Za-z0-9_.-]+/g, "_");
  if (name === undefined || isTaken(name) || beside.some((other) => other.name === name)) return check;
  const parsed = TurnCheck.safeParse({ ...check, name });
  return parsed.success ? parsed.data : check;
}

/** True for names of built-in scores, and for the default names of unnamed checks. */
const isTaken = (name: string): boolean =>
  reservedScores.has(name) ||
  reservedPrefixes.some((start) => name.startsWith(start)) ||
  TurnCheck.options.some(({ shape }) => name.startsWith(shape.type.value));
