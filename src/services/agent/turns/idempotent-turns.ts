import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "../../../base/deadline.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentAnswers, AnswerKey, LostRun, StoredAnswer } from "../../../contract/ports/agent-memory.ts";
import type { Turn } from "./turn.ts";

/** A turn to follow, its stored answer, or the run of another process. */
export type KeyedTurn =
  | { readonly kind: "turn"; readonly turn: Turn; readonly replayed: boolean }
  | { readonly kind: "answer"; readonly answer: StoredAnswer }
  | { readonly kind: "elsewhere"; readonly runId: string };

export interface IdempotentTurns {
  /**
   * The turn of this key: its stored answer, the turn that is running here, or a new one from `start`, which stores its answer. A
   * turn that is running in another process is waited for, and finished here if that process dies. Without a key, always a new one.
   */
  begin(key: AnswerKey | undefined, start: () => Promise<Turn>, client: KeyedClient): Promise<KeyedTurn>;
}

interface KeyedClient {
  /** Aborts when the client disconnects: it then waits no longer for another process. */
  readonly signal: AbortSignal;
  /** True when the id of a run in another process is enough. */
  readonly isAsync: boolean;
}

const longestPauseMs = 500;

interface KeyedTurnUnderWay {
  readonly hash: string;
  readonly begun: Promise<KeyedTurn>;
  /** Resolves if the turn is accepted in another process, for clients that need no more than its id. */
  readonly elsewhere: Promise<KeyedTurn>;
  /** Set once the turn has ended; settles when the key can be claimed again or its answer can be read. */
  over: Promise<void> | null;
}

interface EntryEvents {
  readonly onOver: (released: Promise<void>) => void;
  readonly onElsewhere: (elsewhere: KeyedTurn) => void;
}

/** One turn per Idempotency-Key. After a failure that was not stored, the same key starts a new turn. */
export function createIdempotentTurns({
  answers,
  recover,
  onError,
}: {
  answers: AgentAnswers;
  /** Finishes an accepted turn without a living process; null when another process was faster. */
  recover: (run: LostRun) => Promise<Turn | null>;
  onError: (error: unknown) => void;
}): IdempotentTurns {
  const running = new Map<string, KeyedTurnUnderWay>();

  async function claim(
    key: AnswerKey,
    start: () => Promise<Turn>,
    { signal, isAsync, onOver, onElsewhere }: KeyedClient & EntryEvents,
  ): Promise<KeyedTurn> {
    const release = (): Promise<void> => {
      const released = answers.release(key).catch(onError);
      onOver(released);
      return released;
    };
    const follow = (turn: Turn): void => {
      // A turn with an answer has stored it already.
      void turn.outcome.then(({ ok }) => (ok ? onOver(Promise.resolve()) : release()), release);
    };
    for (let pause = 25; ; pause = Math.min(2 * pause, longestPauseMs)) {
      const claimed = await answers.claim(key);
      if (claimed.outcome === "mismatch") throw mismatch();
      if (claimed.outcome === "answered") return { kind: "answer", answer: claimed.answer };
      if (claimed.outcome === "claimed") {
        const turn = await start().catch(async (error: unknown) => {
          await release();
          throw error;
        });
        follow(turn);
        return newTurn(turn);
      }
      if (claimed.outcome === "lost") {
        const turn = await recover(claimed.run);
        if (turn) follow(turn);
        if (turn) return { kind: "turn", turn, replayed: true };
      } else if (claimed.runId !== undefined) {
        const elsewhere = { kind: "elsewhere", runId: claimed.runId } as const;
        onElsewhere(elsewhere);
        if (isAsync) return elsewhere;
      }
      await sleep(pause, undefined, { signal });
    }
  }

  async function begin(
    key: AnswerKey | undefined,
    start: () => Promise<Turn>,
    client: KeyedClient,
  ): Promise<KeyedTurn> {
    if (!key) return newTurn(await start());
    const name = JSON.stringify([key.owner, key.key]);
    const known = running.get(name);
    if (known?.over) {
      // The turn failed, and its client may know that before the store does.
      await known.over;
      return begin(key, start, client);
    }
    if (known) {
      if (known.hash !== key.hash) throw mismatch();
      const joined = client.isAsync ? Promise.race([known.begun, known.elsewhere]) : known.begun;
      const begun = await untilAborted(joined, client.signal).catch((error: unknown) => {
        client.signal.throwIfAborted();
        return unlessRefused(error);
      });
      if (begun === null || (begun.kind === "elsewhere" && !client.isAsync)) return begin(key, start, client);
      return begun.kind === "turn" ? { ...begun, replayed: true } : begun;
    }
    // Another turn may have started under this key by the time this one is forgotten; that one must stay.
    const forget = () => {
      if (running.get(name) === entry) running.delete(name);
    };
    const onOver = (released: Promise<void>) => {
      entry.over = released.then(forget);
    };
    const { promise: elsewhere, resolve: onElsewhere } = Promise.withResolvers<KeyedTurn>();
    const begun = claim(key, start, { ...client, onOver, onElsewhere });
    const entry: KeyedTurnUnderWay = { hash: key.hash, begun, elsewhere, over: null };
    running.set(name, entry);
    try {
      const result = await begun;
      if (result.kind !== "turn") forget();
      return result;
    } catch (error) {
      forget();
      throw error;
    }
  }

  return { begin };
}

export function newTurn(turn: Turn): Extract<KeyedTurn, { kind: "turn" }> {
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
