import { ServiceError } from "../../../contract/errors.ts";
import type { AgentAnswers, AnswerKey, StoredAnswer } from "../../../contract/ports/agent-memory.ts";
import type { Turn } from "./turn.ts";

/** A turn to follow, or its stored answer. */
export type KeyedTurn =
  | { readonly kind: "turn"; readonly turn: Turn; readonly replayed: boolean }
  | { readonly kind: "answer"; readonly answer: StoredAnswer };

export interface IdempotentTurns {
  /**
   * The turn of this key: its stored answer, the turn that is running here, or a new one from `start`, which stores its answer.
   * Without a key, always a new one.
   */
  begin(key: AnswerKey | undefined, start: () => Promise<Turn>): Promise<KeyedTurn>;
}

interface RunningTurn {
  readonly hash: string;
  readonly begun: Promise<KeyedTurn>;
  /** Set once the turn has ended; settles when the key can be claimed again or its answer can be read. */
  over: Promise<void> | null;
}

/** One turn per Idempotency-Key. Only answers are stored: after a failure or a cancelled run, the same key starts a new turn. */
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
      throw new ServiceError(
        "idempotency_in_progress",
        "A turn with this Idempotency-Key is running in another process.",
        { retryAfterMs: 1000 },
      );
    }
    const release = (): Promise<void> => {
      const released = answers.release(key).catch(onError);
      onOver(released);
      return released;
    };
    const turn = await start().catch(async (error: unknown) => {
      await release();
      throw error;
    });
    // A turn with an answer has stored it already.
    void turn.outcome.then(({ ok }) => (ok ? onOver(Promise.resolve()) : release()), release);
    return newTurn(turn);
  }

  async function begin(key: AnswerKey | undefined, start: () => Promise<Turn>): Promise<KeyedTurn> {
    if (!key) return newTurn(await start());
    const name = JSON.stringify([key.owner, key.key]);
    const known = running.get(name);
    if (known?.over) {
      // The turn failed, and its client may know that before the store does.
      await known.over;
      return begin(key, start);
    }
    if (known) {
      if (known.hash !== key.hash) throw mismatch();
      const begun = await known.begun.catch(unlessRefused);
      if (begun === null) return begin(key, start);
      return begun.kind === "turn" ? { ...begun, replayed: true } : begun;
    }
    // Another turn may have started under this key by the time this one is forgotten; that one must stay.
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
  }

  return { begin };
}

export function newTurn(turn: Turn): KeyedTurn {
  return { kind: "turn", turn, replayed: false };
}

/** A refusal holds for all clients of the key. When the first client left before its turn started, the next one starts it. */
function unlessRefused(error: unknown): null {
  if (error instanceof ServiceError) throw error;
  return null;
}

function mismatch(): ServiceError {
  return new ServiceError(
    "idempotency_mismatch",
    "This Idempotency-Key was used for a request with another body, model or thread.",
  );
}
