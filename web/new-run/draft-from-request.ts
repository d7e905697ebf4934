import { emptyDraft, type RunDraft } from "./run-draft.ts";
import { splitRequest } from "./split-request.ts";

/** The form as it would send this request. What it has no field for stands with the scenarios, as in a pasted request. */
export function draftFromRequest({ test_batch, ...request }: Readonly<Record<string, unknown>>): RunDraft {
  const { fields, rest } = splitRequest(request);
  const text = Object.keys(rest).length === 0 ? test_batch : { ...rest, test_batch };
  return { ...emptyDraft, ...fields, scenarios: JSON.stringify(text, null, 2) };
}
