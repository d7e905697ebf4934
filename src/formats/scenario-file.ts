import type { z } from "zod";
import type { TracedConversation } from "../contract/schemas/acting/traces.ts";
import type { ScenarioInput } from "../contract/schemas/scenario.ts";

export { FormatError } from "./documents/format-error.ts";
export type { SourceLocation } from "./documents/format-error.ts";

/** A scenario in the form of `test_batch`. `system_prompt` is the conversation's system message. */
export type FileScenario = z.output<typeof ScenarioInput>;
export type FileInteraction = FileScenario["interactions"][number];

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

/** Another tool's assertion that is neither a reference reply nor one of our checks, kept as data for a custom scorer. */
export interface UnmappedCheck {
  readonly scenario_id: string;
  readonly interaction_id: string;
  readonly type: string;
  readonly value: unknown;
  readonly negated: boolean;
  readonly threshold?: number;
}

export interface ImportResult {
  /** The id of the format. */
  readonly format: string;
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
