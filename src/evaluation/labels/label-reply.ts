import { compact } from "../../base/compact.ts";
import type { LabelSource, StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Interaction, Metadata } from "../../contract/schemas/scenario.ts";
import { maxReferences, referenceReplies } from "../conversation/conversation.ts";
import { ownValue } from "../../scoring/scorers/match-value.ts";
import type { LabelValue } from "../../scoring/scorers/label-rule.ts";
import { prepareText, type PreparedText } from "../../scoring/text/prepare-text.ts";
import type { Labeller, Labels } from "./labels.ts";
import type { ModelLabels } from "./model-labeller.ts";

interface LabelReplyOptions {
  readonly interaction: Interaction;
  readonly reply: StoredReply;
  /** The prepared texts, if the caller has them. */
  readonly texts?: { readonly reply: PreparedText; readonly references: readonly PreparedText[] };
  readonly labeller: Labeller;
  /** Labels of a labeller model, which take precedence over `labeller`. */
  readonly given?: ModelLabels | null;
}

/**
 * Labels a reply under every expected key: by the endpoint's own label, else the labeller model, else the local labeller, which
 * knows text labels only. Further labels of the endpoint are kept. A failed reply has no labels.
 */
export async function labelReply(options: LabelReplyOptions): Promise<Labels> {
  const { interaction, reply, labeller, given, texts = toTexts(options) } = options;
  if (reply.error) return { generated_metadata: {}, label_sources: {}, unjudged_keys: new Set() };

  const stated = reply.endpoint_metadata ?? {};
  const labels = new Map<string, LabelValue>(Object.entries(stated));
  const sources = new Map<string, LabelSource>(Object.keys(stated).map((key) => [key, { source: "endpoint" }]));
  const unjudged = new Set<string>();
  const own = { interaction_id: interaction.id, references: texts.references.slice(0, maxReferences) };

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
    sources.set(key, compact({ source: "local", method, confidence, unjudged: isUnjudged || undefined }));
  }
  const generated_metadata: Metadata = Object.fromEntries(labels);
  return { generated_metadata, label_sources: Object.fromEntries(sources), unjudged_keys: unjudged };
}

function toTexts({ interaction, reply }: LabelReplyOptions): LabelReplyOptions["texts"] & {} {
  return { reply: prepareText(reply.agent_reply), references: referenceReplies(interaction).map(prepareText) };
}

/** The expected keys that the endpoint did not label. */
export function unlabelledKeys({ reference_metadata }: Interaction, { endpoint_metadata }: StoredReply): Metadata {
  const open = Object.entries(reference_metadata).filter(
    ([key]) => ownValue(endpoint_metadata ?? {}, key) === undefined,
  );
  return Object.fromEntries(open);
}
