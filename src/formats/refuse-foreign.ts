import { isRecord } from "../contract/json-record.ts";
import { FormatError } from "./format-error.ts";
import { isRasaTest } from "./import/rasa.ts";
import { anyField, field, listField, textField } from "./records.ts";

const isPromptflow = (value: unknown): boolean =>
  /\/promptflow\//.test(textField(value, "$schema") ?? "") ||
  (listField(value, "nodes") !== undefined && isRecord(field(value, "inputs")));

/** A line of what a batch answered: OpenAI's have a status, Anthropic's a result of some type. */
const isBatchAnswer = (value: unknown): boolean =>
  textField(value, "custom_id") !== undefined &&
  (anyField(field(value, "response"), "status_code") ?? anyField(field(value, "result"), "type")) !== undefined;

/** Rasa's training data name intents; what users say for sure stands in its tests alone. */
const isRasaTraining = (value: unknown): boolean =>
  anyField(listField(value, "nlu")?.[0], "intent", "lookup", "synonym", "regex") !== undefined ||
  (["stories", "rules"].some((name) => listField(listField(value, name)?.[0], "steps")) && !isRasaTest(value)) ||
  (isRecord(field(value, "responses")) && anyField(value, "intents", "actions", "slots") !== undefined);

const foreign: readonly (readonly [holds: (value: unknown) => boolean, message: string])[] = [
  [
    isPromptflow,
    "this is a flow of promptflow, or a run of one: it says how an answer is made; import the data that it is run on, JSON lines or CSV",
  ],
  [
    isBatchAnswer,
    "these are the answers of a batch, without what was asked; import the file of its requests, whose lines have a body",
  ],
  [
    isRasaTraining,
    "this is what Rasa learns from; import its test stories (tests/test_stories.yml), in which users say something",
  ],
];

/** What other tools write and holds no conversation: read as a table it would be an odd one. Told with the file that does hold some. */
export function refuseForeign(values: readonly unknown[]): void {
  const [first] = values.flat();
  const found = foreign.find(([holds]) => holds(first));
  if (found) throw new FormatError(found[1]);
}

/** Botium's scripts are plain text, with a line for whoever speaks. */
export function refuseBotium(text: string): void {
  const start = text.slice(0, 10_000);
  if (/^#me\b/m.test(start) && /^#bot\b/m.test(start))
    throw new FormatError(
      "this is a script of Botium, which is not read; write what #me and #bot say into a table with the columns conversation_id, role and content",
    );
}
