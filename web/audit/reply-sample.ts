import { hashText } from "../../src/base/hash.ts";

/** The fields used of a line of the exported run. */
export interface ExportedTurn {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly turn_index: number;
  readonly user_message: string;
  readonly agent_reply: string;
  readonly reference_reply: string;
  readonly error: unknown;
}

export interface SampledReply {
  readonly key: string;
  /** The history shown to the judge. */
  readonly conversation_before: readonly { readonly user_message: string; readonly reply: string }[];
  readonly user_message: string;
  readonly reply: string;
  readonly reference_reply: string;
}

interface SampleOptions {
  readonly runId: string;
  readonly most: number;
  /** Skips replies without a reference, as the judge does. */
  readonly needsReference: boolean;
  /** True when the history held the references instead of the model's own replies. */
  readonly hasReferenceHistory: boolean;
}

/** A random sample of turns, added in order. The same run always gives the same sample. */
export function createReplySample({ runId, most, needsReference, hasReferenceHistory }: SampleOptions) {
  let sample: { readonly rank: number; readonly reply: SampledReply }[] = [];
  let history: SampledReply["conversation_before"] = [];

  return {
    add({ scenario_id, attempt, turn_index, user_message, agent_reply, reference_reply, error }: ExportedTurn): void {
      const conversation_before = turn_index === 0 ? [] : history;
      if (error === null || hasReferenceHistory)
        history = [
          ...conversation_before,
          { user_message, reply: hasReferenceHistory ? reference_reply : agent_reply },
        ];
      else history = conversation_before;
      if (error !== null || (needsReference && reference_reply === "")) return;
      const key = JSON.stringify([scenario_id, attempt, turn_index]);
      const rank = hashText(`${runId} ${key}`);
      if (sample.length === most && rank >= (sample.at(-1)?.rank ?? 0)) return;
      sample.push({ rank, reply: { key, conversation_before, user_message, reply: agent_reply, reference_reply } });
      sample = sample.toSorted((one, other) => one.rank - other.rank).slice(0, most);
    },
    replies: (): readonly SampledReply[] => sample.map(({ reply }) => reply),
  };
}
