import { isStoreFailure } from "../../contract/errors.ts";

/** Tells the operator of something that failed, and of what. */
export type FailureLog = (error: unknown, message: string) => void;

/** How long nothing more is said of a store that fails for the same reason. */
const quietMs = 10_000;

/**
 * Writes failures to the log. A store that takes nothing fails every attempt and every chore, again and again until it is back: of
 * that there is one line in ten seconds, which says how many came before it. Else they would fill the disk that is full already.
 */
export function createFailureLog(
  log: { error(fields: object, message: string): void },
  { now = () => performance.now() }: { now?: () => number } = {},
): FailureLog {
  const told = new Map<string, { at: number; untold: number }>();

  return (error, message) => {
    if (!isStoreFailure(error)) return log.error({ err: error }, message);
    const before = told.get(error.code);
    if (before && now() - before.at < quietMs) {
      before.untold += 1;
      return;
    }
    told.set(error.code, { at: now(), untold: 0 });
    log.error({ err: error, ...(before?.untold && { untold: before.untold }) }, message);
  };
}
