import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { CodeTransform, UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import type { ScorerInput, ScorerResult } from "../../../scoring/scorers/scorer.ts";
import type { OffloadableCheck } from "./offload-check.ts";

/** One call of a user's function. */
export interface CodeQuestion extends Pick<CodeTransform, "language" | "code" | "file" | "function"> {
  readonly kind: "check" | "transform";
  /** The reply: its text, its tool calls when it has no text, or the result of an earlier transform. */
  readonly output: unknown;
  readonly context: JsonRecord;
}

/** The answer of the user's code, or the error it threw. Rejects when there is no answer: too slow, too large, not loadable. */
export type CodeRunner = (
  question: CodeQuestion,
  signal: AbortSignal,
) => Promise<{ readonly result: unknown } | { readonly thrown: string }>;

type Setting = Extract<UserScorerSetting, { type: "javascript" | "python" }>;

const withoutRunner = "code of a scenario runs only in rehearsal eval, on the machine that has the files";

/** The value that the user's code gives. Code that throws has found the reply wrong: so do assertions of test frameworks. */
export function codeCheck(setting: Setting, run: CodeRunner | undefined): OffloadableCheck {
  const { type: language, code, file, function: name, vars = {}, config, threshold } = setting;
  return async (input, signal) => {
    if (!run) throw new Error(withoutRunner);
    const context = { ...contextOf(input), vars, ...(config !== undefined && { config }) };
    const question = { language, code, file, function: name, kind: "check", output: outputOf(input), context } as const;
    const answer = await run(question, signal);
    if ("thrown" in answer) return { value: 0, reason: `the code threw: ${answer.thrown}` };
    return toResult(answer.result, threshold);
  };
}

/** The reply after the transforms, as a value and as text, or the error that one of them threw. */
export async function transformedText(
  input: ScorerInput,
  {
    transform,
    code,
    signal,
  }: { transform: readonly CodeTransform[]; code: CodeRunner | undefined; signal: AbortSignal },
): Promise<{ value: unknown; text: string } | { thrown: string }> {
  if (!code) throw new Error(withoutRunner);
  let value = outputOf(input);
  for (const source of transform) {
    const answer = await code({ ...source, kind: "transform", output: value, context: contextOf(input) }, signal);
    if ("thrown" in answer) return { thrown: `the transform threw: ${answer.thrown}` };
    value = answer.result;
  }
  return { value, text: toText(value) };
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
function toResult(given: unknown, threshold: number | undefined): ScorerResult {
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
