import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { mostReferences, referenceReplies } from "../reference-replies.ts";
import { labelKey } from "../scorers/label-key.ts";

/** A reference reply that carries a label, and the interaction it belongs to. */
export interface LabelExample {
  readonly text: string;
  readonly interaction_id: string;
}

export interface LabelCandidate {
  /** As first written in the batch. */
  readonly label: string;
  readonly examples: readonly LabelExample[];
}

/** The labels a batch uses under each key, under their `labelKey`. */
export type LabelCandidates = ReadonlyMap<string, ReadonlyMap<string, LabelCandidate>>;

// A key with more labels than this holds free text (names, order numbers).
const maximumLabels = 200;
/** Over all keys of a batch: a reference counts under each key of its interaction, and takes some hundred bytes under each. */
const mostExamples = 100_000;

/** Collects every text label of a batch with the reference replies that carry it. Keys that hold free text are left out. */
export function labelCandidates(scenarios: readonly Scenario[]): LabelCandidates {
  const keys = new Map<string, Map<string, { label: string; examples: LabelExample[] }>>();
  const most = referencesToRead(scenarios);
  for (const scenario of scenarios) {
    for (const interaction of scenario.interactions) {
      for (const [key, value] of Object.entries(interaction.reference_metadata)) {
        if (typeof value !== "string" || labelKey(value) === "") continue;
        const labels = keys.get(key) ?? new Map<string, { label: string; examples: LabelExample[] }>();
        keys.set(key, labels);
        const candidate = labels.get(labelKey(value)) ?? { label: value, examples: [] };
        labels.set(labelKey(value), candidate);
        addExamples(candidate.examples, { interaction, most });
      }
    }
  }
  return new Map([...keys].filter(([, labels]) => labels.size <= maximumLabels));
}

/** How many references of an interaction are examples: half as many, and half again, until all together are not too many. */
function referencesToRead(scenarios: readonly Scenario[]): number {
  const counts = scenarios.flatMap(({ interactions }) =>
    interactions.map((interaction) => ({
      keys: Object.keys(interaction.reference_metadata).length,
      references: referenceReplies(interaction).length,
    })),
  );
  const countWith = (most: number) =>
    counts.reduce((sum, { keys, references }) => sum + keys * Math.min(references, most), 0);
  let most = mostReferences;
  while (most > 1 && countWith(most) > mostExamples) most = Math.floor(most / 2);
  return most;
}

function addExamples(
  examples: LabelExample[],
  { interaction, most }: { readonly interaction: Interaction; readonly most: number },
): void {
  for (const text of referenceReplies(interaction).slice(0, most)) {
    if (text.trim() !== "") examples.push({ text, interaction_id: interaction.id });
  }
}
