import { isRecord, type JsonRecord } from "../../contract/json-record.ts";
import { below, givenBeside, noteLeft, type ItemContext } from "../peer-item.ts";
import { field, listField, recordField, scalarText, textField } from "../records.ts";
import type { TurnDraft } from "../scenario-draft.ts";
import { itemsOf, type Importer } from "./importer.ts";

/** Rasa's test stories (`stories`) and end-to-end tests (`test_cases`): what users say, the intent of it, and how the bot replies. */
export const importRasa: Importer = ({ document, collector, mapping }) => {
  const storiesOf = (value: unknown) => {
    const name = listField(value, "stories") ? "stories" : "test_cases";
    const list = listField(value, name);
    return list && { list, steps: [name] };
  };
  const replies = Object.assign(
    {},
    ...document.values.map(({ value }) => recordField(value, "responses")),
  ) as JsonRecord;
  for (const { value, place } of itemsOf(document, storiesOf)) {
    const context = { place, collector, mapping };
    const steps = listField(value, "steps") ?? [];
    const turns: TurnDraft[] = [];
    for (const [index, step] of steps.entries()) takeStep(step, { turns, replies }, below(context, "steps", index));
    collector.add({ place, id: field(value, "story") ?? field(value, "test_case"), turns });
  }
};

/** True for stories in which a user says something: those that Rasa learns from name intents alone. */
export const isRasaTest = (value: unknown): boolean =>
  ["stories", "test_cases"].some((name) =>
    listField(value, name)?.some((story) =>
      listField(story, "steps")?.some((step) => textField(step, "user") !== undefined),
    ),
  );

interface Said {
  readonly turns: TurnDraft[];
  /** The texts of responses, where the file has them. */
  readonly replies: JsonRecord;
}

function takeStep(step: unknown, { turns, replies }: Said, context: ItemContext): void {
  const user = textField(step, "user");
  if (!isRecord(step)) return noteLeft([scalarText(step) ?? "a step"], context);
  if (user !== undefined) {
    const intent = scalarText(step["intent"]);
    turns.push({ user: withoutEntities(user.trim()), ...(intent !== undefined && { labels: { intent } }) });
    return noteLeft(givenBeside(step, ["user", "intent", "entities"]), context);
  }
  const action = textField(step, "action", "utter");
  const text = textField(step, "bot") ?? textField(listField(replies, action ?? "")?.[0], "text");
  const turn = turns.at(-1);
  if (text !== undefined && turn) {
    turns[turns.length - 1] = { ...turn, reference: [turn.reference ?? [], text.trim()].flat().join("\n\n") };
    return;
  }
  if (action?.startsWith("utter_"))
    context.collector.note("dropped", context.place, `the text of ${action} is not in this file`);
  else noteLeft(action === undefined ? Object.keys(step) : [action], context);
}

/** `[Berlin](city)` and `[Berlin]{"entity": "city"}` mark a part of what is said. */
const withoutEntities = (text: string): string => text.replace(/\[([^\]]+)\](?:\([^)]*\)|\{[^}]*\})/g, "$1");
