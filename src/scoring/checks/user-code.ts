import { z } from "zod";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ScorerInput, ScorerResult } from "../scorers/scorer.ts";
import { prepareText } from "../text/prepare-text.ts";
import { checkFields, codeFields, hasOneSource, oneSource, type CodeTransform } from "./check-fields.ts";
import { defineCheck, type CheckParts, type CodeRunner, type ThrownByCode } from "./define-check.ts";

export const withoutRunner = "code of a scenario runs only in rehearsal eval, on the machine that has the files";

const codeSettings = {
  ...checkFields,
  ...codeFields,
  threshold: z.number().optional().describe("1 from this value of the code on, and 0 below."),
  vars: z.record(z.string(), z.json()).optional().describe("Values for the code, as `context.vars`."),
  config: z.json().optional().describe("Settings for the code, as `context.config`."),
};

interface CodeSettings extends Pick<CodeTransform, "code" | "file" | "function"> {
  readonly type: CodeTransform["language"];
  readonly vars?: JsonRecord | undefined;
  readonly config?: unknown;
  readonly threshold?: number | undefined;
}

/** The common parts of JavaScript and Python. */
const ofCode = {
  meta: { oneOf: oneSource },
  runs: "code",
  needs: () => ["code"] as const,
  ask({ type: language, code, file, function: name, vars = {}, config, threshold }: CodeSettings, parts: CheckParts) {
    return async (input: ScorerInput, signal: AbortSignal): Promise<ScorerResult> => {
      if (!parts.code) throw new Error(withoutRunner);
      const given = { ...contextOf(input), vars };
      const context = config === undefined ? given : { ...given, config };
      const question = {
        language,
        code,
        file,
        function: name,
        kind: "check",
        output: outputOf(input),
        context,
      } as const;
      const answer = await parts.code(question, signal);
      if ("thrown" in answer) return resultOfThrown(answer);
      return toResult(answer.result, threshold);
    };
  },
} as const;

/** A failed assertion has found the reply wrong. Any other error says nothing about the reply. */
export function resultOfThrown({ thrown, code }: ThrownByCode): ScorerResult {
  const reason = `the code threw: ${thrown}`;
  return code === "assertion" ? { value: 0, reason } : { value: null, reason, failed: true };
}

export const javascript = defineCheck({
  ...ofCode,
  schema: z
    .object({ type: z.literal("javascript"), ...codeSettings })
    .refine(hasOneSource, "must have either code or file"),
  id: "JavaScriptSetting",
  label: "JavaScript",
  help: "The value that JavaScript of the user's own gives to the reply.",
});

export const python = defineCheck({
  ...ofCode,
  schema: z
    .object({ type: z.literal("python"), ...codeSettings })
    .refine(hasOneSource, "must have either code or file"),
  id: "PythonSetting",
  label: "Python",
  help: "The value that Python of the user's own gives to the reply.",
});

/** The input with the reply after the transforms, or the error that one of them threw. */
export async function transformedInput(
  input: ScorerInput,
  {
    transform,
    code,
    signal,
  }: { transform: readonly CodeTransform[]; code: CodeRunner | undefined; signal: AbortSignal },
): Promise<ScorerInput | ThrownByCode> {
  if (!code) throw new Error(withoutRunner);
  let value = outputOf(input);
  for (const source of transform) {
    const answer = await code({ ...source, kind: "transform", output: value, context: contextOf(input) }, signal);
    if ("thrown" in answer) return { ...answer, thrown: `in a transform: ${answer.thrown}` };
    value = answer.result;
  }
  return { ...input, reply: prepareText(toText(value)), output: value };
}

/** JSON for values that are not text, as promptfoo hands them to its text assertions. */
const toText = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

/** A reply without text is its tool calls in the form of the OpenAI API, which assertions on them expect. */
function outputOf({ reply, turn, output }: ScorerInput): unknown {
  if (output !== undefined) return output;
  const calls = turn?.tool_calls ?? [];
  if (reply.raw !== "" || calls.length === 0) return reply.raw;
  return calls.map(({ id, name, arguments: given }) => ({
    id,
    type: "function",
    function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) },
  }));
}

function contextOf({ references, reference_metadata, generated_metadata, call, turn }: ScorerInput): JsonRecord {
  const { latency_ms, cost } = call;
  return {
    vars: {},
    prompt: turn?.prompt ?? "",
    user_message: turn?.user_message ?? "",
    references: references.map(({ raw }) => raw),
    reference_metadata,
    generated_metadata,
    tool_calls: turn?.tool_calls ?? [],
    interaction_id: turn?.interaction_id ?? "",
    latency_ms,
    cost,
    providerResponse: { latencyMs: latency_ms, cost },
  };
}

/**
 * A value of promptfoo's forms (true, 0.7, {pass, score, reason}) or of a custom scorer ({value, reason}). Beyond 0..1, any
 * number above 0 has passed.
 */
export function toResult(given: unknown, threshold?: number): ScorerResult {
  const value = typeof given === "string" ? parseAnswer(given) : given;
  if (typeof value === "boolean") return { value: value ? 1 : 0, reason: `the code returned ${value}` };
  if (typeof value === "number" && Number.isFinite(value)) return fromNumber(value, threshold);
  if (isRecord(value)) return fromRecord(value, threshold);
  const shown = (JSON.stringify(given) ?? String(given)).slice(0, 100);
  const reason = `the code returned ${shown}: it must return true or false, a number or {pass, score, reason}`;
  return { value: null, reason, failed: true };
}

function fromNumber(number: number, threshold: number | undefined): ScorerResult {
  const said = `the code returned ${number}`;
  if (threshold !== undefined) {
    return number >= threshold
      ? { value: 1, reason: said }
      : { value: 0, reason: `${said}, at least ${threshold} asked` };
  }
  return { value: number >= 0 && number <= 1 ? number : number > 0 ? 1 : 0, reason: said };
}

function fromRecord(record: JsonRecord, threshold: number | undefined): ScorerResult {
  const { pass = record["pass_"], score, value, reason } = record;
  const said = typeof reason === "string" && reason !== "" ? { reason: reason.slice(0, 500) } : undefined;
  const number = typeof score === "number" ? score : value;
  if (value === null && score === undefined) return { value: null, reason: said?.reason ?? "the code gave no value" };
  if (typeof number === "number" && Number.isFinite(number)) {
    const result = fromNumber(number, threshold);
    // `pass: false` decides, whatever the score says.
    return { ...result, ...(pass === false && { value: 0 }), ...said };
  }
  if (typeof pass === "boolean") return { value: pass ? 1 : 0, reason: `the code returned ${pass}`, ...said };
  return { value: null, reason: "the code returned an object without pass, score or value", failed: true };
}

/** Scripts may print their answer: true, 0.5 or JSON. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^(?:True|False)$/, (word) => word.toLowerCase()));
  } catch {
    return text;
  }
}
