import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../schema.ts";
import { isConflict, isConnectionLost, isCutShort, isPlanLost, isReadOnly } from "./postgres-error.ts";

export interface TransactOptions {
  /** How long it is tried again. Once it is in any case: finding out that a server has fallen silent may take all the time there is. */
  readonly withinMs: number;
  /** Doing it twice does no harm: it is tried again also when nobody knows whether it was committed. */
  readonly repeatable?: boolean;
  /** Whether it is not to be tried again, whatever happens. Default: it is. */
  readonly isOver?: () => boolean;
  /** Told why it is tried again, the first time. */
  readonly onAgain?: ((error: unknown) => void) | undefined;
}

/** A transaction that is tried again when the server went away before it was committed, or undid it. */
export async function transactAgain<Result>(
  kysely: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
  { withinMs, repeatable = false, isOver = () => false, onAgain = () => {} }: TransactOptions,
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (let tries = 0; ; tries += 1) {
    let committing = false;
    try {
      return await kysely.transaction().execute(async (transaction) => {
        const result = await work(transaction);
        committing = true;
        return result;
      });
    } catch (error) {
      // When the connection is lost during the commit nobody knows whether it took place.
      const undone = isConflict(error) || isCutShort(error) || isPlanLost(error) || isReadOnly(error);
      const again = undone || (isConnectionLost(error) && (repeatable || !committing));
      if (!again || isOver() || (tries > 0 && performance.now() >= deadline)) throw error;
      if (tries === 0) onAgain(error);
      await sleep(Math.min(1_000, 20 * 2 ** tries) * (0.5 + Math.random()));
    }
  }
}
