import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { maxReferences, referenceReplies } from "../conversation/conversation.ts";
import { canonicalKey, labelKey } from "../../scoring/scorers/match-value.ts";

/** A reference reply that carries a label. */
export interface LabelExample {
  readonly text: string;
  readonly interaction_id: string;
}

export interface LabelCandidate {
  /** As first written in the batch. */
  readonly label: string;
  readonly examples: readonly LabelExample[];
}

/** Key → `labelKey` → label, for all labels of a batch. */
export type LabelCandidates = ReadonlyMap<string, ReadonlyMap<string, LabelCandidate>>;

/** A key with more labels holds free text (names, order numbers). */
const maximumLabels = 200;
/** Over all keys of a batch: a reference takes a few hundred bytes under each key of its interaction. */
const maximumExampleCount = 100_000;

/** Collects the text labels of a batch with the reference replies that carry them. Keys with free text are left out. */
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

/** The number of references per interaction used as examples: halved until the total is within the limit. */
function referencesToRead(scenarios: readonly Scenario[]): number {
  const counts = scenarios.flatMap(({ interactions }) =>
    interactions.map((interaction) => ({
      keys: Object.keys(interaction.reference_metadata).length,
      references: referenceReplies(interaction).length,
    })),
  );
  const countWith = (most: number) =>
    counts.reduce((sum, { keys, references }) => sum + keys * Math.min(references, most), 0);
  let most = maxReferences;
  while (most > 1 && countWith(most) > maximumExampleCount) most = Math.floor(most / 2);
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

/** A label with the examples of all its spellings. */
export interface MergedLabel extends LabelCandidate {
  /** The `labelKey` of each spelling in the batch. */
  readonly names: readonly string[];
}

/** Merges labels of one key that are aliases of each other, so that they do not compete. Keyed by canonical key. */
export function mergeAliases(
  labels: ReadonlyMap<string, LabelCandidate>,
  aliases: LabelRule["aliases"],
): ReadonlyMap<string, MergedLabel> {
  const merged = new Map<string, { label: string; examples: LabelExample[]; names: string[] }>();
  for (const [name, { label, examples }] of labels) {
    const key = canonicalKey(label, aliases);
    const known = merged.get(key) ?? { label, examples: [], names: [] };
    for (const example of examples) known.examples.push(example);
    known.names.push(name);
    merged.set(key, known);
  }
  return merged;
}
