import { hashText } from "../../src/base/hash.ts";

/** A line of the export of a run, as far as it is looked at here. */
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
  /** What the judge was shown as said before. */
  readonly conversation_before: readonly { readonly user_message: string; readonly reply: string }[];
  readonly user_message: string;
  readonly reply: string;
  readonly reference_reply: string;
}

interface SampleOptions {
  readonly runId: string;
  readonly most: number;
  /** Leaves out replies without a reference, about which the judge is not asked either. */
  readonly needsReference: boolean;
  /** The model saw the references in place of its own replies. */
  readonly isTaught: boolean;
}

/**
 * Takes turns one by one, as an attempt has them, and keeps some of them: by chance, so that no score decides, and the same ones each
 * time.
 */
export function createReplySample({ runId, most, needsReference, isTaught }: SampleOptions) {
  let kept: { readonly rank: number; readonly reply: SampledReply }[] = [];
  let said: SampledReply["conversation_before"] = [];

  return {
    add({ scenario_id, attempt, turn_index, user_message, agent_reply, reference_reply, error }: ExportedTurn): void {
      const conversation_before = turn_index === 0 ? [] : said;
      if (error === null || isTaught)
        said = [...conversation_before, { user_message, reply: isTaught ? reference_reply : agent_reply }];
      else said = conversation_before;
      if (error !== null || (needsReference && reference_reply === "")) return;
      const key = JSON.stringify([scenario_id, attempt, turn_index]);
      const rank = hashText(`${runId} ${key}`);
      if (kept.length === most && rank >= (kept.at(-1)?.rank ?? 0)) return;
      kept.push({ rank, reply: { key, conversation_before, user_message, reply: agent_reply, reference_reply } });
      kept = kept.toSorted((one, other) => one.rank - other.rank).slice(0, most);
    },
    replies: (): readonly SampledReply[] => kept.map(({ reply }) => reply),
  };
}
