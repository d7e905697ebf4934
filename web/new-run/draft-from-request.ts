import { isRecord } from "../../src/base/json.ts";
import { emptyDraft, type RunDraft } from "./run-draft.ts";
import { splitRequest } from "./split-request.ts";

interface DraftOptions {
  /** Ids of the scenarios to take; null: all of them. */
  readonly only: readonly string[] | null;
}

/** The form as it would send this request. What it has no field for stands with the scenarios, as in a pasted request. */
export function draftFromRequest(
  { test_batch: batch, ...request }: Readonly<Record<string, unknown>>,
  { only }: DraftOptions = { only: null },
): RunDraft {
  const { fields, rest } = splitRequest(request);
  const test_batch = only && Array.isArray(batch) ? batch.filter(isOneOf(only)) : batch;
  const text = Object.keys(rest).length === 0 ? test_batch : { ...rest, test_batch };
  return { ...emptyDraft, ...fields, scenarios: JSON.stringify(text, null, 2) };
}

/** Addresses hold no lone surrogates: ids are compared as they come out of one. */
function isOneOf(ids: readonly string[]): (scenario: unknown) => boolean {
  const wanted = new Set(ids.map((id) => id.toWellFormed()));
  return (scenario) => isRecord(scenario) && wanted.has(String(scenario["id"]).toWellFormed());
}
