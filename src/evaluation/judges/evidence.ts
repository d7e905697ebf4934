import type { JudgeEvidence } from "../../contract/schemas/judging/judge.ts";
import { callId, type JudgedSetting, type JudgedTurn } from "./judge-material.ts";

/** Where the quotes of a judge may stand, by turn and call. */
export interface QuotedMaterial {
  /** Why the material does not have this quote there; null if it has. */
  missing(evidence: JudgeEvidence): string | null;
}

interface TurnTexts {
  readonly said: readonly string[];
  readonly calls: ReadonlyMap<string, string>;
}

/** The texts that a judge may quote. Turn 0 is the system prompt and the policy. */
export function quotedMaterial(
  turns: readonly JudgedTurn[],
  { systemPrompt = "", policy = "", tools = [] }: JudgedSetting = {},
): QuotedMaterial {
  // Prepared when the first quote is looked for.
  const texts = new Map<number, TurnTexts>();
  const textsOf = (number: number): TurnTexts | undefined => {
    const known = texts.get(number);
    const found =
      known ??
      (number === 0
        ? { said: [systemPrompt, policy, JSON.stringify(tools)].map(plain), calls: new Map() }
        : turnTexts(turns[number - 1]));
    if (found) texts.set(number, found);
    return found;
  };
  return {
    missing({ turn, call, quote }) {
      const wanted = plain(quote);
      if (wanted.length < 2) return "an empty quote";
      const found = textsOf(turn);
      if (!found) return `there is no turn ${turn}`;
      const shown = JSON.stringify(quote.length > 80 ? `${quote.slice(0, 79).toWellFormed()}…` : quote);
      if (call !== undefined && call !== "") {
        const text = found.calls.get(call);
        if (text === undefined) return `turn ${turn} has no call ${call}`;
        return text.includes(wanted) ? null : `call ${call} of turn ${turn} does not hold ${shown}`;
      }
      const isThere =
        found.said.some((text) => text.includes(wanted)) || found.calls.values().some((text) => text.includes(wanted));
      return isThere ? null : `turn ${turn} does not hold ${shown}`;
    },
  };
}

function turnTexts(turn: JudgedTurn | undefined): TurnTexts | undefined {
  if (!turn) return undefined;
  const { user_message, reply, references = [], tool_calls = [], context = [] } = turn;
  return {
    said: [user_message, reply ?? "", ...references, ...context.map(({ text }) => text)].map(plain),
    calls: new Map(
      tool_calls.map((call, index) => [
        callId(call, index),
        plain(JSON.stringify([call.name, call.arguments, call.result, call.error])),
      ]),
    ),
  };
}

/** Judges copy texts with other white space and quotation marks, and data with or without the marks of JSON. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\\[nrt]/g, "")
    .replace(/[\s"'“”„«»‘’\\]+/gu, "");
