import { FormatError } from "./format-error.ts";
import { anyField, field, textField } from "./records.ts";

/** A line of what a batch answered: OpenAI's have a status, Anthropic's a result of some type. */
const isBatchAnswer = (value: unknown): boolean =>
  textField(value, "custom_id") !== undefined &&
  (anyField(field(value, "response"), "status_code") ?? anyField(field(value, "result"), "type")) !== undefined;

/** The answers of a batch hold no question: read as a table they would be an odd one. */
export function refuseBatchAnswers(values: readonly unknown[]): void {
  const [first] = values.flat();
  if (isBatchAnswer(first))
    throw new FormatError(
      "these are the answers of a batch, without what was asked; import the file of its requests, whose lines have a body",
    );
}

/** Botium's scripts are plain text, with a line for whoever speaks. */
export function refuseBotium(text: string): void {
  const start = text.slice(0, 10_000);
  if (/^#me\b/m.test(start) && /^#bot\b/m.test(start))
    throw new FormatError(
      "this is a script of Botium, which is not read; write what #me and #bot say into a table with the columns conversation_id, role and content",
    );
}
