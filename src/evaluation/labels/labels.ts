import type { LabelSource } from "../../contract/schemas/interaction-result.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import type { PreparedText } from "../text/prepare-text.ts";

/** The labels of one reply: what they are and where each came from. */
export interface Labels {
  readonly generated_metadata: Metadata;
  readonly label_sources: Record<string, LabelSource>;
  /** Expected keys nobody could judge: the endpoint sends no labels, and the value cannot be told from the text. */
  readonly unjudged_keys: ReadonlySet<string>;
}

/** What a labeller is asked. It is never told which label is expected. */
export interface LabelQuestion {
  readonly key: string;
  readonly reply: PreparedText;
  /** The interaction's own references, so that a labeller can leave them out of its examples. */
  readonly own: { readonly interaction_id: string; readonly references: readonly PreparedText[] };
}

export interface LabelAnswer {
  readonly value: string;
  readonly method: string;
  /** 0..1, to rank answers of one labeller by; not a probability. */
  readonly confidence: number;
  /** The labeller cannot read this text: what it says is nothing to hold against the reply. */
  readonly unreadable?: true;
}

/** Gives a reply's label for one key, or null when it has no way to tell. */
export type Labeller = (question: LabelQuestion) => Promise<LabelAnswer | null>;

/** The label for a reply that resembles no candidate well enough. */
export const unknownLabel = "unknown";
