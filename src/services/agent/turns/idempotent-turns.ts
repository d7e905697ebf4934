import type { AgentAnswers, AnswerKey, StoredAnswer } from "../../../contract/agent-answers.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Turn, TurnRequest } from "./turn.ts";

/** A turn to follow, or the answer it gave before. */
export type KeyedTurn =
  | { readonly kind: "turn"; readonly turn: Turn; readonly replayed: boolean }
  | { readonly kind: "answer"; readonly answer: StoredAnswer };

export interface IdempotentTurns {
  /** The turn of this key: the stored one, the one under way here, or a new one from `start`, which hands `keep` on. */
  begin(key: AnswerKey, start: (keep: NonNullable<TurnRequest["keep"]>) => Promise<Turn>): Promise<KeyedTurn>;
}

/**
 * One turn per Idempotency-Key. Only answers are kept: after a failure or a cancelled run the same key tries again.
 */
export function createIdempotentTurns({
  answers,
  onError,
}: {
  answers: AgentAnswers;
  onError: (error: unknown) => void;
}): IdempotentTurns {
  const running = new Map<string, { readonly hash: string; readonly begun: Promise<KeyedTurn> }>();

  async function claim(
    key: AnswerKey,
    start: Parameters<IdempotentTurns["begin"]>[1],
    forget: () => void,
  ): Promise<KeyedTurn> {
    const claimed = await answers.claim(key);
    if (claimed.outcome === "mismatch") throw mismatch();
    if (claimed.outcome === "answered") return { kind: "answer", answer: claimed.answer };
    if (claimed.outcome === "running") {
      throw new ServiceError("idempotency_in_progress", "A turn with this Idempotency-Key is running elsewhere.", {
        retryAfterMs: 1000,
      });
    }
    let kept = false;
    const keep = async (answer: StoredAnswer): Promise<void> => {
      kept = true;
      // A store that fails costs only the replay.
      await answers.complete(key, answer).catch(onError);
    };
    const end = async (): Promise<void> => {
      if (!kept) await answers.release(key).catch(onError);
      forget();
    };
    const turn = await start(keep).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    void turn.outcome.then(end, end);
    return { kind: "turn", turn, replayed: false };
  }

  return {
    async begin(key, start) {
      const name = JSON.stringify([key.owner, key.key]);
      const known = running.get(name);
      if (known) {
        if (known.hash !== key.hash) throw mismatch();
        const begun = await known.begun;
        return begun.kind === "turn" ? { ...begun, replayed: true } : begun;
      }
      const forget = () => void running.delete(name);
      const begun = claim(key, start, forget);
      running.set(name, { hash: key.hash, begun });
      try {
        const result = await begun;
        if (result.kind === "answer") forget();
        return result;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

function mismatch(): ServiceError {
  return new ServiceError("idempotency_mismatch", "This Idempotency-Key was used for a request with another body.");
}
