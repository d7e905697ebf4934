import type { StoredReply, StoredScores } from "../contract/interaction-result.ts";
import type { Interaction } from "../contract/scenario.ts";
import type { LabelCandidates } from "./labels/label-candidates.ts";
import { labelReply } from "./labels/label-reply.ts";
import type { Labeller } from "./labels/labels.ts";
import { createLocalLabeller } from "./labels/local-labeller.ts";
import { scoreReply } from "./score-reply.ts";
import type { ScorerName } from "./scorers/built-in-scorers.ts";

// A labeller indexes its candidates when first asked; all interactions of a run share one.
const labellers = new WeakMap<LabelCandidates, Labeller>();

export interface ScoreInteractionOptions {
  readonly interaction: Interaction;
  readonly reply: StoredReply;
  /** From `labelCandidates` over the whole batch. */
  readonly candidates: LabelCandidates;
  /** Default: the local labeller. */
  readonly labeller?: Labeller;
  readonly scorers?: readonly ScorerName[];
}

/** Labels and scores one reply: all that is stored about a turn beside what the model did. */
export async function scoreInteraction({
  interaction,
  reply,
  candidates,
  labeller = localLabeller(candidates),
  scorers,
}: ScoreInteractionOptions): Promise<StoredScores> {
  const labels = await labelReply({ interaction, reply, labeller });
  return scoreReply({ interaction, reply, labels, ...(scorers && { scorers }) });
}

function localLabeller(candidates: LabelCandidates): Labeller {
  const known = labellers.get(candidates);
  if (known) return known;
  const labeller = createLocalLabeller({ candidates });
  labellers.set(candidates, labeller);
  return labeller;
}
