import type { LabelSource, StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Interaction, Metadata } from "../../contract/schemas/scenario.ts";
import { mostReferences, referenceReplies } from "../reference-replies.ts";
import { ownValue, type MetadataValue } from "../scorers/match-value.ts";
import { prepareText, type PreparedText } from "../text/prepare-text.ts";
import type { Labeller, Labels } from "./labels.ts";
import type { ModelLabels } from "./model-labeller.ts";

interface LabelReplyOptions {
  readonly interaction: Interaction;
  readonly reply: StoredReply;
  /** The texts of the reply and of its references, made ready once for all keys. */
  readonly texts?: { readonly reply: PreparedText; readonly references: readonly PreparedText[] };
  readonly labeller: Labeller;
  /** What a labeller model said: it outranks the labeller. */
  readonly given?: ModelLabels | null;
}

/**
 * Labels a reply under every expected key: what the endpoint itself said, else what the labeller model said, else what the local
 * labeller tells from the text. Labels the endpoint adds beyond the expected keys are kept. The local labeller can tell text
 * labels only; numbers, booleans, lists and objects come from elsewhere or not at all. A failed reply has no labels.
 */
export async function labelReply(options: LabelReplyOptions): Promise<Labels> {
  const { interaction, reply, labeller, given, texts = toTexts(options) } = options;
  if (reply.error) return { generated_metadata: {}, label_sources: {}, unjudged_keys: new Set() };

  const stated = reply.endpoint_metadata ?? {};
  const labels = new Map<string, MetadataValue>(Object.entries(stated));
  const sources = new Map<string, LabelSource>(Object.keys(stated).map((key) => [key, { source: "endpoint" }]));
  const unjudged = new Set<string>();
  const own = { interaction_id: interaction.id, references: texts.references.slice(0, mostReferences) };

  for (const [key, expected] of Object.entries(interaction.reference_metadata)) {
    if (ownValue(stated, key) !== undefined) continue;
    const fromModel = given?.labels?.get(key);
    if (given && fromModel !== undefined) {
      labels.set(key, fromModel);
      sources.set(key, { source: "labeller", method: given.method });
      continue;
    }
    const answer = typeof expected === "string" ? await labeller({ key, reply: texts.reply, own }) : null;
    const isUnjudged = (!answer || answer.unreadable === true) && reply.endpoint_metadata === null;
    if (isUnjudged) unjudged.add(key);
    if (!answer) continue;
    const { method, confidence } = answer;
    labels.set(key, answer.value);
    sources.set(key, { source: "local", method, confidence, ...(isUnjudged && { unjudged: true }) });
  }
  const generated_metadata: Metadata = Object.fromEntries(labels);
  return { generated_metadata, label_sources: Object.fromEntries(sources), unjudged_keys: unjudged };
}

function toTexts({ interaction, reply }: LabelReplyOptions): LabelReplyOptions["texts"] & {} {
  return { reply: prepareText(reply.agent_reply), references: referenceReplies(interaction).map(prepareText) };
}

/** The expected keys the endpoint said nothing about. */
export function unlabelledKeys({ reference_metadata }: Interaction, { endpoint_metadata }: StoredReply): Metadata {
  const open = Object.entries(reference_metadata).filter(
    ([key]) => ownValue(endpoint_metadata ?? {}, key) === undefined,
  );
  return Object.fromEntries(open);
}
