import { isRecord } from "../../base/json.ts";
import { scalarText } from "../records.ts";

interface Asked {
  readonly input: unknown;
  readonly target: unknown;
}

/**
 * An Inspect sample with its choices below the question, as Inspect asks them; undefined where its target names none of them. A target that is
 * a letter means one of the choices, so without them nobody could give that answer; several letters are meant together.
 */
export function withChoices({ input, target }: Asked, choices: unknown): Asked | undefined {
  const named = textsOf(choices).map((choice, index) => ({ letter: letterOf(index), choice }));
  const letters = new Set<unknown>(named.map(({ letter }) => letter));
  const wanted: unknown[] = [target].flat();
  if (wanted.length === 0 || !wanted.every((letter) => letters.has(letter))) return undefined;
  const asked = endingIn(input, `\n\n${named.map(({ letter, choice }) => `${letter}) ${choice}`).join("\n")}`);
  return asked === undefined ? undefined : { input: asked, target: wanted.join(", ") };
}

const letterOf = (index: number): string => (index < 26 ? String.fromCodePoint(65 + index) : String(index - 25));

/** A list, or in a table a text with commas or spaces between them. Inspect leaves out those that are empty. */
function textsOf(choices: unknown): string[] {
  const parts = typeof choices === "string" ? choices.split(choices.includes(",") ? "," : /\s+/) : choices;
  const texts = Array.isArray(parts) ? parts.map((part: unknown) => scalarText(part)?.trim() ?? "") : [];
  return texts.filter((text) => text !== "");
}

function endingIn(input: unknown, text: string): unknown {
  if (typeof input === "string") return input + text;
  const messages: unknown[] = Array.isArray(input) ? input : [];
  const last = messages.at(-1);
  if (!isRecord(last) || last["role"] !== "user" || typeof last["content"] !== "string") return undefined;
  return [...messages.slice(0, -1), { ...last, content: last["content"] + text }];
}
