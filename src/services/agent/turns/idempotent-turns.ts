import type { AgentAnswers, AnswerKey, StoredAnswer } from "../../../contract/ports/agent-memory.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Turn } from "./turn.ts";

/** A turn to follow, or the answer it gave before. */
export type KeyedTurn =
  | { readonly kind: "turn"; readonly turn: Turn; readonly replayed: boolean }
  | { readonly kind: "answer"; readonly answer: StoredAnswer };

export interface IdempotentTurns {
  /** The turn of this key: the stored one, the one under way here, or a new one from `start`, which keeps its answer. */
  begin(key: AnswerKey, start: () => Promise<Turn>): Promise<KeyedTurn>;
}

interface RunningTurn {
  readonly hash: string;
  readonly begun: Promise<KeyedTurn>;
  /** Set once the turn has ended: settles when the key can be claimed or its answer be read. */
  over: Promise<void> | null;
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
  const running = new Map<string, RunningTurn>();

  async function claim(
    key: AnswerKey,
    start: () => Promise<Turn>,
    onOver: (released: Promise<void>) => void,
  ): Promise<KeyedTurn> {
    const claimed = await answers.claim(key);
    if (claimed.outcome === "mismatch") throw mismatch();
    if (claimed.outcome === "answered") return { kind: "answer", answer: claimed.answer };
    if (claimed.outcome === "running") {
      throw new ServiceError("idempotency_in_progress", "A turn with this Idempotency-Key is running elsewhere.", {
        retryAfterMs: 1000,
      });
    }
    const giveUp = (): Promise<void> => {
      const released = answers.release(key).catch(onError);
      onOver(released);
      return released;
    };
    const turn = await start().catch(async (error: unknown) => {
      await giveUp();
      throw error;
    });
    // A turn that has an answer has kept it.
    void turn.outcome.then(({ ok }) => (ok ? onOver(Promise.resolve()) : giveUp()), giveUp);
    return { kind: "turn", turn, replayed: false };
  }

  return {
    async begin(key, start) {
      const name = JSON.stringify([key.owner, key.key]);
      const known = running.get(name);
      if (known?.over) {
        // It failed, and its client may know that before the store does.
        await known.over;
        return this.begin(key, start);
      }
      if (known) {
        if (known.hash !== key.hash) throw mismatch();
        const begun = await known.begun.catch(unlessRefused);
        if (begun === null) return this.begin(key, start);
        return begun.kind === "turn" ? { ...begun, replayed: true } : begun;
      }
      // By then another turn may have begun under the same key: it is told of once the key is free, before this one's client is.
      const forget = () => {
        if (running.get(name) === entry) running.delete(name);
      };
      const onOver = (released: Promise<void>) => {
        entry.over = released.then(forget);
      };
      const begun = claim(key, start, onOver);
      const entry: RunningTurn = { hash: key.hash, begun, over: null };
      running.set(name, entry);
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

/** What was refused is refused for everybody; a turn whose client went away before it began is begun by the next one. */
function unlessRefused(error: unknown): null {
  if (error instanceof ServiceError) throw error;
  return null;
}

function mismatch(): ServiceError {
  return new ServiceError("idempotency_mismatch", "This Idempotency-Key was used for another body, model or thread.");
}
