import { createHash } from "node:crypto";

/** One trace per run, findable by its id: a run's id is as long as a trace's. */
export function traceIdOf(runId: string): string {
  const digits = runId.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : createHash("sha256").update(runId).digest("hex").slice(0, 32);
}

/** The same place of a run always has the same id, so sending it again doubles nothing. */
export function spanIdOf(...place: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 16);
}
