import type { ReplyFormat } from "../../contract/ports/chat-model.ts";
import { unwrapFence } from "../text/unwrap-fence.ts";

/** The one form an answer may have. The reason comes first, so that the verdict follows from it. */
export function verdictFormat(choices: readonly string[]): ReplyFormat {
  return {
    name: "verdict",
    schema: {
      type: "object",
      properties: {
        reason: { type: "string", description: "Two or three sentences that lead to the verdict." },
        verdict: { type: "string", enum: [...choices] },
      },
      required: ["reason", "verdict"],
      additionalProperties: false,
    },
  };
}

export interface Vote {
  /** null: the answer could not be used. */
  readonly choice: string | null;
  readonly reason: string;
}

const maximumReason = 2_000;
const quoted = /"(?:[^"\\]|\\.)*"/gu;

/**
 * Reads an answer. Anything but exactly one object of the form is no vote: verdicts are never looked for inside other text. Only the
 * fence that models without structured output put around JSON is taken off.
 */
export function parseVote(text: string, choices: readonly string[]): Vote {
  const unusable = (reason: string): Vote => ({ choice: null, reason });
  const answer = unwrapFence(text);
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return unusable("the judge's answer is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return unusable("the judge's answer is no object");
  const { verdict, reason, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length > 0) return unusable("the judge's answer has fields nobody asked for");
  if (typeof reason !== "string") return unusable("the judge gave no reason");
  // Of choices like 1 to 5, a model that is free to chooses a number.
  const choice = choices.find((name) => name === (isBare(verdict) ? String(verdict) : verdict));
  if (choice === undefined) return unusable("the judge's verdict is none of the choices");
  // Two names, two values. Of several fields of one name, parsing shows the last alone: a verdict that another one takes back.
  if (answer.match(quoted)?.length !== (isBare(verdict) ? 3 : 4))
    return unusable("the judge gave more than one reason or verdict");
  return { choice, reason: reason.slice(0, maximumReason) };
}

/** Written without quotes in JSON. */
function isBare(verdict: unknown): boolean {
  return typeof verdict === "number" || typeof verdict === "boolean";
}
