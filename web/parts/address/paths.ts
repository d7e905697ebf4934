import { compact } from "../../../src/base/compact.ts";
import type { RowFilter } from "../../run/grid/scenario-rows.ts";

/**
 * An id as one path segment. Browsers resolve "." and ".." even when percent-encoded, so such ids are prefixed with "~".
 * Scenario segments are compared, never decoded: their ids may hold anything, even lone surrogates.
 */
export const toSegment = (id: string): string => encodeURIComponent((/^[.~]/.test(id) ? `~${id}` : id).toWellFormed());

/** The id of a segment. A segment that cannot be decoded is returned unchanged. */
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
  /** Default: the first turn that failed. */
  readonly turn?: number | undefined;
}

/** `turn` counts from 0; the address counts from 1. */
export function transcriptPath({ runId, scenarioId, attempt, turn }: TurnAddress): string {
  const path = `${runPath(runId)}/${toSegment(scenarioId)}/${attempt}`;
  return turn === undefined ? path : `${path}?turn=${turn + 1}`;
}

/** A new run with the scenarios of another run that match its list's filter. */
export function rerunPath(runId: string, { status, text }: RowFilter): string {
  const filter = compact({ show: status || undefined, q: text !== "" ? text : undefined });
  return `/new?${new URLSearchParams({ from: runId, ...filter }).toString()}`;
}

export const reviewPath = (runId: string, more: Readonly<Record<string, string>> = {}): string =>
  `/review?${new URLSearchParams({ run: runId, ...more }).toString()}`;

export const agentRunPath = (runId: string): string => `/agents/${toSegment(runId)}`;

/** Thread ids have no characters that need escaping, except a leading dot. */
export const agentThreadPath = (id: string): string => `/agents/threads/${toSegment(id)}`;

export const scenarioPath = (id: string): string => `/scenarios/id/${toSegment(id)}`;

/** The scores of all runs of a test over time. */
export const historyPath = (testName: string): string =>
  `/history?${new URLSearchParams({ test: testName.toWellFormed() }).toString()}`;

export const rankPath = (runIds: readonly string[]): string =>
  `/rank?${new URLSearchParams({ runs: runIds.join(",") }).toString()}`;

export const comparePath = ({ baseline, candidate }: { baseline: string; candidate: string }): string =>
  `/compare?${new URLSearchParams({ baseline, candidate }).toString()}`;

const selectionKey = "rehearsal.chosen-scenarios";

/** Servers and proxies refuse addresses of several thousand characters. */
const longestQuery = 4000;

/** A new run with scenarios of the library. A list too long for an address is stored in this tab. */
export function newRunPath(ids: readonly string[]): string {
  const query = new URLSearchParams(ids.map((id) => ["scenario", id.toWellFormed()])).toString();
  if (query.length <= longestQuery) return `/new?${query}`;
  sessionStorage.setItem(selectionKey, JSON.stringify(ids));
  return "/new?scenarios=chosen";
}

export const selectedScenarios = (params: URLSearchParams): string[] =>
  isInTab(params) ? storedSelection() : params.getAll("scenario");

/** True when the selection is stored in another tab. */
export const isSelectionLost = (params: URLSearchParams): boolean => isInTab(params) && storedSelection().length === 0;

const isInTab = (params: URLSearchParams): boolean => params.get("scenarios") === "chosen";

function storedSelection(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(selectionKey) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}
