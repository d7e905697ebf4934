import type { JsonRecord } from "../base/json.ts";
import type { ExpectedReply } from "./peer-item.ts";
import type { CheckDraft, TurnDraft } from "./scenario-draft.ts";

/** What a dataset item says about the reply to its last user message. */
export interface LastTurn extends ExpectedReply {
  readonly reply?: string | undefined;
  readonly labels?: JsonRecord;
  readonly checks?: readonly unknown[];
  readonly unchecked?: readonly CheckDraft[];
}

/** Adds the expected reply and the labels to the last turn; the turns before it stay as they are. */
export function finishTurns(turns: readonly TurnDraft[], last: LastTurn): TurnDraft[] {
  return turns.map((turn, index) => (index < turns.length - 1 ? turn : finishTurn(turn, last)));
}

function finishTurn(turn: TurnDraft, { reference, references, reply, labels, checks, unchecked }: LastTurn): TurnDraft {
  return {
    ...turn,
    reference: reference ?? turn.reference,
    ...(references && references.length > 0 && { references }),
    ...(reply !== undefined && { reply }),
    ...(labels && { labels }),
    ...(checks && checks.length > 0 && { checks }),
    ...(unchecked && unchecked.length > 0 && { unchecked }),
  };
}
