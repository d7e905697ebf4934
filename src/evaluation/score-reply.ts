import type { StoredReply, StoredScores } from "../contract/interaction-result.ts";
import type { Interaction } from "../contract/scenario.ts";
import { scoringVersion, type Score } from "../contract/score.ts";
import type { Labels } from "./labels/labels.ts";
import { referenceReplies } from "./reference-replies.ts";
import { builtInScorers, defaultScorers, type ScorerName } from "./scorers/built-in-scorers.ts";
import { overall } from "./scorers/overall.ts";
import { success } from "./scorers/success.ts";
import { prepareText, type PreparedText } from "./text/prepare-text.ts";

// An interaction is scored once per attempt; its references need preparing once.
const preparedReferences = new WeakMap<Interaction, readonly PreparedText[]>();

export interface ScoreReplyOptions {
  readonly interaction: Interaction;
  readonly reply: StoredReply;
  /** From `labelReply`. */
  readonly labels: Labels;
  readonly scorers?: readonly ScorerName[];
}

/** Everything scoring says about one labelled turn. A failed reply has `success` 0 and nothing else: its text is ours, not the model's. */
export function scoreReply({ interaction, reply, labels, scorers = defaultScorers }: ScoreReplyOptions): StoredScores {
  const answered = success(reply);
  if (reply.error) return toStoredScores([answered], noLabels);

  const input = {
    reply: prepareText(reply.agent_reply),
    references: referencesOf(interaction),
    generated_metadata: labels.generated_metadata,
    reference_metadata: interaction.reference_metadata,
    unjudged_keys: labels.unjudged_keys,
  };
  const scores = scorers.flatMap((name) => builtInScorers[name](input));
  return toStoredScores([answered, ...scores, overall(scores)], labels);
}

const noLabels = { generated_metadata: {}, label_sources: {} } satisfies Partial<Labels>;

function referencesOf(interaction: Interaction): readonly PreparedText[] {
  const known = preparedReferences.get(interaction);
  if (known) return known;
  const prepared = referenceReplies(interaction).map(prepareText);
  preparedReferences.set(interaction, prepared);
  return prepared;
}

function toStoredScores(
  scores: readonly Score[],
  labels: Pick<StoredScores, "generated_metadata" | "label_sources">,
): StoredScores {
  const values = new Map<string, number>();
  const reasons = new Map<string, string>();
  for (const { name, value, reason } of scores) {
    if (value !== null) values.set(name, value);
    if (reason !== undefined) reasons.set(name, reason);
  }
  return {
    generated_metadata: labels.generated_metadata,
    label_sources: labels.label_sources,
    scores: Object.fromEntries(values),
    score_reasons: Object.fromEntries(reasons),
    scoring_version: scoringVersion,
  };
}
