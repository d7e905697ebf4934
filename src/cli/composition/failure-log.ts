import { compact } from "../../base/compact.ts";
import { isStoreFailure } from "../../contract/errors/errors.ts";

/** Logs a failure of a part of the process. */
export type FailureLog = (error: unknown, message: string) => void;

/** Time between two log lines about the same failure of the store. */
const quietMs = 10_000;

/**
 * Logs failures. While the store is unavailable, every attempt and background job fails repeatedly; that is logged once in
 * ten seconds, with the number of failures in between, because more lines could fill a disk that is already full.
 */
export function createFailureLog(
  log: { error(fields: object, message: string): void },
  { now = () => performance.now() }: { now?: () => number } = {},
): FailureLog {
  const logged = new Map<string, { at: number; suppressed: number }>();

  return (error, message) => {
    if (!isStoreFailure(error)) return log.error({ err: error }, message);
    const before = logged.get(error.code);
    if (before && now() - before.at < quietMs) {
      before.suppressed += 1;
      return;
    }
    logged.set(error.code, { at: now(), suppressed: 0 });
    log.error(compact({ err: error, suppressed: before?.suppressed ? before.suppressed : undefined }), message);
  };
}
