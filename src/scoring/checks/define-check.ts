import type { z } from "zod";
import type { JsonRecord } from "../../base/json.ts";
import type { ReplyCheck, ScorerInput, ScorerResult } from "../scorers/scorer.ts";
import type { SemanticScorer } from "../scorers/semantic-similarity.ts";
import type { CodeTransform } from "./check-fields.ts";
import { filesOnly } from "./files-only.ts";

/**
 * Where a check runs. `in place`: it takes no time. `thread`: it can take arbitrarily long for some replies, which go to another
 * thread. `code`: a process of the user's code gives the value. `model`: a model does.
 */
export type CheckPlace = "in place" | "thread" | "code" | "model";

/** The things that a check reads besides the reply and its call. */
export type CheckNeed = "reference" | "calls" | "embedder" | "judge" | "code";

/** A pattern that runs in linear time. */
export interface Pattern {
  test(text: string): boolean;
  find(text: string): string | null;
  /** Steps per character at most. */
  readonly size: number;
}

/** The libraries that compile settings, which a check is handed. They throw when a pattern or schema cannot be used. */
export interface Compilers {
  readonly pattern: (pattern: string, options: { readonly ignoreCase: boolean }) => Pattern;
  /** Compiles a JSON schema to a function that checks values. */
  readonly schema: (schema: Readonly<Record<string, unknown>>) => (value: unknown) => ScorerResult;
}

/** One call of a user's function. */
export interface CodeQuestion extends Pick<CodeTransform, "language" | "code" | "file" | "function"> {
  readonly kind: "check" | "transform" | "state";
  /** The reply: its text, its tool calls when it has no text, or the result of an earlier transform. Of `state`: a final state. */
  readonly output: unknown;
  readonly context: JsonRecord;
}

/** An error that the user's code threw. `assertion`: it has looked at the reply, and found it wrong. */
export interface ThrownByCode {
  readonly thrown: string;
  readonly code: "assertion" | "thrown";
}

/** The answer of the user's code, or the error it threw. Rejects when there is no answer: too slow, too large, not loadable. */
export type CodeRunner = (
  question: CodeQuestion,
  signal: AbortSignal,
) => Promise<{ readonly result: unknown } | ThrownByCode>;

/** The parts of a run that a check may ask. */
export interface CheckParts {
  /** Runs code of users. Default: checks with code fail. */
  readonly code?: CodeRunner | undefined;
  readonly semantic?: SemanticScorer | undefined;
}

/** A check that asks a part of the run, or another thread. */
export type AskingCheck = (input: ScorerInput, signal: AbortSignal) => ScorerResult | Promise<ScorerResult>;

/** A check, and whether it takes only milliseconds for an input. */
export interface CompiledCheck {
  readonly check: ReplyCheck;
  readonly isQuick: (input: ScorerInput) => boolean;
}

/** The label of a setting in a form. The kind of its control follows from the schema, unless it is named here. */
export interface FieldHint {
  readonly label: string;
  readonly placeholder?: string;
  readonly kind?: "text";
  /** Names of the values of an enumeration. */
  readonly choices?: Readonly<Record<string, string>>;
}

interface CheckForm {
  /** The settings of a new check, besides its type. */
  readonly fresh: Readonly<Record<string, unknown>>;
  /** The settings in their order in the form. */
  readonly fields: Readonly<Record<string, string | FieldHint>>;
}

/** Why the settings of a check cannot be used. */
export interface SettingProblem {
  readonly field: string;
  readonly code: "required" | "too_small";
  readonly message: string;
}

type CheckSchema = z.ZodObject<{ type: z.ZodLiteral<string> } & z.core.$ZodShape>;

/** Everything about one type of check: the schema of its settings, its words, its behaviour and its rules. */
export interface CheckEntry<Schema extends CheckSchema = CheckSchema> {
  readonly schema: Schema;
  /** Name of the schema in published documents. */
  readonly id: string;
  /** For people, as in a menu. */
  readonly label: string;
  /** One sentence: what it scores. */
  readonly help: string;
  /** Absent where only files may have the check. */
  readonly form?: CheckForm;
  /** Rules between fields, for published schemas. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly runs: CheckPlace | ((setting: z.infer<Schema>) => CheckPlace);
  /** False for the speed and price of a call: a fast wrong answer is not half right. Default: true. */
  readonly inOverall?: false;
  /** Set where a reason says what was found, so that it also explains the negated value. */
  readonly reasonsOfBoth?: true;
  needs?(setting: z.infer<Schema>): readonly CheckNeed[];
  /** Refuses settings that the schema cannot: those that every reply passes, for example. */
  problem?(setting: z.infer<Schema>): SettingProblem | null;
  /** The text whose compilation can take long. Limits hold for all checks of a list together. */
  readonly source?: {
    readonly field: "pattern" | "schema";
    size(setting: z.infer<Schema>): number;
    /** Characters at most. */
    readonly most: number;
    /** Characters that compile within milliseconds. */
    readonly quick: number;
  };
  /** For `in place` and `thread`. Without {@link CompiledCheck.isQuick}, short replies are quick. */
  compile?(setting: z.infer<Schema>, compilers: Compilers): ReplyCheck | CompiledCheck;
  /** For `code` and `model`. */
  ask?(setting: z.infer<Schema>, parts: CheckParts): AskingCheck;
}

/** Declares a type of check. */
export function defineCheck<Schema extends CheckSchema>(entry: CheckEntry<Schema>): CheckEntry<Schema> {
  const schema = entry.schema.meta({ id: entry.id, description: entry.help, ...entry.meta });
  if (entry.runs === "code") filesOnly.add(schema);
  return { ...entry, schema };
}

/** The type that a check's settings name. */
export const typeOf = ({ schema }: CheckEntry): string => schema.shape.type.value;

/** Characters that any check of the text processes within milliseconds. */
export const quickLength = 8_000;

export function isShort(texts: readonly { readonly raw: string }[]): boolean {
  return texts.reduce((sum, { raw }) => sum + raw.length, 0) <= quickLength;
}

/** 1 minus the value. */
export function negated<Result extends ScorerResult>(
  result: Result,
  { reasonsOfBoth }: Pick<CheckEntry, "reasonsOfBoth"> = {},
): Result {
  if (result.value === null) return result;
  return { ...result, value: 1 - result.value, reason: reasonsOfBoth ? result.reason : `not wanted: ${result.reason}` };
}
