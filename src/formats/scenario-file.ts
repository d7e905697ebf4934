import type { z } from "zod";
import { truncateText } from "../base/text.ts";
import type { TracedConversation } from "../contract/schemas/acting/traces.ts";
import type { ScenarioInput } from "../contract/schemas/scenario.ts";

/** A scenario in the form of `test_batch`. `system_prompt` is the conversation's system message. */
export type FileScenario = z.output<typeof ScenarioInput>;
export type FileInteraction = FileScenario["interactions"][number];

/** A location in a file: a line, an RFC 6901 pointer, or both. */
export interface SourceLocation {
  /** Set if it is not the imported file. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly pointer?: string | undefined;
}

/** Reads the files that match a name or pattern; empty if none can be read. Only the command line provides it. */
export type NamedFiles = (name: string) => readonly { readonly name: string; readonly text: string }[];

/** A part of the file that was `dropped`, `changed` to another form, or `kept` in a place that may surprise: no loss. */
export interface Note {
  readonly kind: "dropped" | "changed" | "kept";
  /** Set if it is not the imported file. */
  readonly file?: string;
  readonly line?: number;
  readonly pointer?: string;
  /** The command line and the page replace "with the mapping" by the words for their own options. */
  readonly message: string;
  /** The things in the plural, such as `tool messages`, for a count of many such notes. */
  readonly subject?: string;
}

/** A note as it is handed to programs, which count for themselves. */
export function listedNote<Listed extends Note>(note: Listed): Omit<Listed, "subject"> {
  const { subject, ...listed } = note;
  return subject === undefined ? note : listed;
}

/** Another tool's assertion that is neither a reference reply nor one of our checks, kept as data for a custom scorer. */
export interface UnmappedCheck {
  readonly scenario_id: string;
  readonly interaction_id: string;
  readonly type: string;
  readonly value: unknown;
  readonly negated: boolean;
  readonly threshold?: number;
}

export type ImportFormat =
  | "json"
  | "jsonl"
  | "yaml"
  | "csv"
  | "tsv"
  | "rows"
  | "openai-chat"
  | "sharegpt"
  | "promptfoo"
  | "promptfoo-results"
  | "openai-evals"
  | "inspect"
  | "inspect-log"
  | "deepeval"
  | "adk"
  | "langsmith"
  | "langfuse"
  | "mlflow"
  | "spans"
  | "dialogues"
  | "bfcl"
  | "tau-bench";

export interface ImportResult {
  readonly format: ImportFormat;
  /** The reason for the detected format, in words. */
  readonly reason: string;
  readonly scenarios: readonly FileScenario[];
  readonly checks: readonly UnmappedCheck[];
  readonly notes: readonly Note[];
  /** The conversations of traces, also those that the filter left out. */
  readonly conversations?: readonly TracedConversation[];
  /** Models that the file names for its evaluation. */
  readonly models?: readonly string[];
  /** The scenarios by further prompts of the file; `scenarios` has those by the first one. */
  readonly variants?: readonly ScenarioVariant[];
}

/** Scenarios with other wordings of their messages, whose runs can be compared with those of the first ones. */
export interface ScenarioVariant {
  readonly name: string;
  readonly scenarios: readonly FileScenario[];
}

export interface ExportResult {
  readonly text: string;
  /** The number of scenarios written, if some may be missing. */
  readonly written?: number;
  readonly notes: readonly Note[];
}

/** Messages may quote the file, whose names can be very long. */
const longestMessage = 2_000;

/** An unreadable file. The message is for the file's author: it says where the error is and what was expected. */
export class FormatError extends Error {
  override readonly name = "FormatError";
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly pointer: string | undefined;

  constructor(message: string, place: SourceLocation & { column?: number } = {}) {
    super(truncateText(`${placeText(place)}${message}`, longestMessage));
    this.line = place.line;
    this.column = place.column;
    this.pointer = place.pointer;
  }
}

function placeText({ line, column }: { line?: number | undefined; column?: number }): string {
  if (line === undefined) return "";
  return column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `;
}
