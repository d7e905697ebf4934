import type { LabelSource } from "../../contract/schemas/interaction-result.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import type { PreparedText } from "../../scoring/text/prepare-text.ts";

/** The labels of one reply and their sources. */
export interface Labels {
  readonly generated_metadata: Metadata;
  readonly label_sources: Record<string, LabelSource>;
  /** Expected keys without a determinable value: the endpoint sends no labels, and the text does not tell. */
  readonly unjudged_keys: ReadonlySet<string>;
}

/** The input of a labeller. It never includes the expected label. */
export interface LabelQuestion {
  readonly key: string;
  readonly reply: PreparedText;
  /** The interaction's own references, which a labeller may exclude from its examples. */
  readonly own: { readonly interaction_id: string; readonly references: readonly PreparedText[] };
}

export interface LabelAnswer {
  readonly value: string;
  readonly method: string;
  /** 0..1, comparable within one labeller; not a probability. */
  readonly confidence: number;
  /** The labeller does not know the language: the reply must not lose by its answer. */
  readonly unreadable?: true;
}

/** Labels a reply for one key; null when it has no candidates. */
export type Labeller = (question: LabelQuestion) => Promise<LabelAnswer | null>;

/** The label for a reply that resembles no candidate well enough. */
export const unknownLabel = "unknown";
