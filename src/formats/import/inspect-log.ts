import { isRecord, type JsonRecord } from "../../base/json.ts";
import { withExtras } from "../extras.ts";
import { finishTurns } from "../finish-turns.ts";
import { below, givenBeside, noteLeft, readInput, readLabels, readOutput, type ItemContext } from "../peer-item.ts";
import { readMessage } from "../read-message.ts";
import { field, listField, recordField, scalarText } from "../records.ts";
import type { TurnDraft } from "../scenario-draft.ts";
import { turnsFromMessages, type Conversation } from "../turns-from-messages.ts";
import { itemsOf, type Importer } from "./importer.ts";

/** The JSON form of an Inspect log: the samples become scenarios, the replies of the first epoch are kept as `agent_reply`. */
export const importInspectLog: Importer = ({ document, collector, mapping }) => {
  const seen = new Set<string>();
  const samplesOf = (value: unknown) => {
    const list = listField(value, "samples");
    return list && { list, steps: ["samples"] };
  };
  for (const { value, place } of itemsOf(document, samplesOf)) {
    if (!isRecord(value) || !("input" in value)) {
      collector.note("dropped", place, "the item is no sample of a log (a log read without its samples has none)");
      continue;
    }
    const key = JSON.stringify([value["id"], value["id"] === undefined ? value["input"] : null]);
    if (seen.has(key))
      collector.note(
        "dropped",
        place,
        `the reply of epoch ${scalarText(value["epoch"]) ?? "?"}; the first epoch was kept`,
      );
    else addSample(value, { place, collector, mapping });
    seen.add(key);
  }
};

function addSample(sample: JsonRecord, context: ItemContext): void {
  const { place, collector } = context;
  const input = readInput(sample["input"], below(context, "input"));
  if (!input) return collector.note("dropped", place, "the sample has no input");
  const scores = Object.entries(recordField(sample, "scores") ?? {});
  const told = scores.map(([name, score]) => `${name}=${JSON.stringify(field(score, "value"))}`);
  if (told.length > 0) collector.note("dropped", place, `scores of the past run: ${told.join(", ")}`);
  const metadata = sample["metadata"];
  const labels = readLabels(metadata, below(context, "metadata"));
  const asked = withReplies(input, sample, context);
  noteLeft(leftOf(sample, asked.turns), context);
  const turns = finishTurns(asked.turns, {
    ...readOutput(sample["target"], below(context, "target")),
    labels,
  });
  collector.add(withExtras({ place, id: sample["id"], system: asked.system, turns }, metadata));
}

/** What a sample has beside what is asked. Choices that a solver wrote into the question are part of that. */
function leftOf({ choices, files, setup, sandbox }: JsonRecord, turns: readonly TurnDraft[]): string[] {
  const texts = Array.isArray(choices) ? choices.flatMap((choice) => scalarText(choice) ?? []) : [];
  const isAsked = texts.every((text) => turns.some(({ user }) => user.includes(text)));
  return givenBeside({ ...(!isAsked && { choices }), files, setup, sandbox }, []);
}

/**
 * History given in the input keeps its replies as references; what the model said in the run is its reply. What solvers put before the model,
 * such as a system message, is part of what was asked.
 */
function withReplies(
  input: Conversation,
  sample: JsonRecord,
  context: ItemContext,
): { system: string | undefined; turns: TurnDraft[] } {
  const silent = { note: () => undefined };
  const messages = listField(sample, "messages") ?? [];
  const { system = input.system, turns: run } = turnsFromMessages({
    messages,
    place: context.place,
    collector: silent,
  });
  const given = input.turns.length - 1;
  if (run.length < input.turns.length) {
    const reply = outputText(sample);
    return { system, turns: input.turns.map((turn, index) => (index < given ? turn : { ...turn, reply })) };
  }
  const turns = run.map(
    ({ user, reference }, index) => (index < given ? input.turns[index] : undefined) ?? { user, reply: reference },
  );
  return { system, turns };
}

function outputText(sample: JsonRecord): string | undefined {
  const [choice] = listField(field(sample, "output"), "choices") ?? [];
  return readMessage(field(choice, "message"))?.text ?? scalarText(field(field(sample, "output"), "completion"));
}
