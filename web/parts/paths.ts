import type { RowFilter } from "../run/row-filter.ts";

/**
 * An id as one path segment. Browsers resolve "." and ".." even when percent-encoded, so those get a mark in front.
 * Scenario segments are compared, never decoded: those ids may hold anything, lone surrogates included.
 */
export const toSegment = (id: string): string => encodeURIComponent((/^[.~]/.test(id) ? `~${id}` : id).toWellFormed());

/** The id a segment was made from. A segment nobody made is taken as it is. */
export function fromSegment(segment: string): string {
  try {
    return decodeURIComponent(segment).replace(/^~/, "");
  } catch {
    return segment;
  }
}

export const runPath = (runId: string): string => `/runs/${toSegment(runId)}`;

interface TurnAddress {
  readonly runId: string;
  readonly scenarioId: string;
  readonly attempt: number;
  /** Left out: the first bad turn. */
  readonly turn?: number | undefined;
}

/** Address of a transcript; `turn` counts from 0 and is written from 1, as people count. */
export function transcriptPath({ runId, scenarioId, attempt, turn }: TurnAddress): string {
  const path = `${runPath(runId)}/${toSegment(scenarioId)}/${attempt}`;
  return turn === undefined ? path : `${path}?turn=${turn + 1}`;
}

/** Address of a new run with those scenarios of another that its list shows. */
export function shownAgainPath(runId: string, { status, text }: RowFilter): string {
  const filter = { ...(status && { show: status }), ...(text !== "" && { q: text }) };
  return `/new?${new URLSearchParams({ from: runId, ...filter }).toString()}`;
}

/** Where the judge of a run is held against a person. */
export const auditPath = (runId: string): string => `/audit?${new URLSearchParams({ run: runId }).toString()}`;

/** Address of a scenario of the library. */
export const scenarioPath = (id: string): string => `/scenarios/id/${toSegment(id)}`;

/** Where several runs stand beside each other. */
export const rankPath = (runIds: readonly string[]): string =>
  `/rank?${new URLSearchParams({ runs: runIds.join(",") }).toString()}`;

export const comparePath = ({ baseline, candidate }: { baseline: string; candidate: string }): string =>
  `/compare?${new URLSearchParams({ baseline, candidate }).toString()}`;
