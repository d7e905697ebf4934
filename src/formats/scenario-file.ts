import type { z } from "zod";
import type { ScenarioInput } from "../contract/schemas/scenario.ts";

/** A scenario as a file holds it: what `test_batch` takes. `system_prompt` is the conversation's own system message. */
export type FileScenario = z.output<typeof ScenarioInput>;
export type FileInteraction = FileScenario["interactions"][number];

/** Where in a file something stood: the line of a line-based format, an RFC 6901 pointer into the value there, or both. */
export interface Place {
  /** Where it is another file than the one that is imported. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly pointer?: string | undefined;
}

/** The texts of the files that a file names, by name or pattern, with none where it cannot be read. Only a command line has files to give. */
export type NamedFiles = (name: string) => readonly { readonly name: string; readonly text: string }[];

/** Something that did not cross over as it was: `dropped` is missing from the result, `changed` is there in another form. */
export interface Note {
  readonly kind: "dropped" | "changed";
  /** Where it is another file than the one that is imported. */
  readonly file?: string;
  readonly line?: number;
  readonly pointer?: string;
  readonly message: string;
}

/** A peer's assertion about one reply that is neither a reference reply nor a check of ours: kept as data, so that a scorer can be made of it. */
export interface Check {
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
  | "langfuse";

export interface ImportResult {
  readonly format: ImportFormat;
  /** Why the file was read as this format, in words. */
  readonly reason: string;
  readonly scenarios: readonly FileScenario[];
  readonly checks: readonly Check[];
  readonly notes: readonly Note[];
}

export interface ExportResult {
  readonly text: string;
  /** How many of the scenarios the text holds, where it may not be all. */
  readonly written?: number;
  readonly notes: readonly Note[];
}
