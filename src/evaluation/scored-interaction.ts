import type { InteractionResult } from "../contract/schemas/interaction-result.ts";

/** What the figures of scenarios and runs are made from: a part of every interaction result. */
export type ScoredInteraction = Pick<
  InteractionResult,
  "scores" | "reference_metadata" | "generated_metadata" | "error" | "usage"
> &
  Partial<
    Pick<
      InteractionResult,
      | "interaction_type"
      | "turn_index"
      | "conflicts"
      | "helper_usage"
      | "cost"
      | "judgements"
      | "label_sources"
      | "failed_scores"
      | "latency_ms"
      | "first_token_ms"
    >
  >;
