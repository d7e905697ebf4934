import { isRecord } from "../../src/base/json.ts";
import { fieldNames, fieldPlaces } from "./field-places.ts";
import { readProtocol, protocols, type RunDraft } from "./run-draft.ts";

type Request = Readonly<Record<string, unknown>>;

interface SplitRequest {
  /** What the form has fields for. */
  readonly fields: Partial<RunDraft>;
  /** What it has none for: sent along as it is. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Fields that hold what the request says as it is. */
const plainFields = fieldNames.filter((name) => name !== "protocol" && name !== "scorers" && name !== "scenarios");

/** A whole request without its scenarios, parted into what the form shows and what it does not. */
export function splitRequest(request: Request): SplitRequest {
  const fields: Partial<Record<keyof RunDraft, string>> = {};
  let rest = request;
  for (const field of plainFields) {
    const path = fieldPlaces[field];
    const value = readPath(request, path);
    if (typeof value !== "string" && typeof value !== "number") continue;
    fields[field] = field === "history" && value === "generated" ? "" : String(value);
    rest = withoutPath(rest, path);
  }
  // Checks with options fit no field and are sent unchanged while it is empty. An object in place of the number of attempts is
  // sent too, so that the service refuses it and the form's default does not replace it.
  if (isRecord(request["attempts"])) fields.attempts = "";
  const scorers = namesOnly(request["scorers"]);
  if (scorers) {
    fields.scorers = scorers.join(", ");
    rest = withoutPath(rest, ["scorers"]);
  }
  if (protocols.some(({ id }) => id === request["protocol"])) {
    const protocol = readProtocol(request["protocol"]);
    return { fields: { ...fields, protocol }, rest: withoutPath(rest, ["protocol"]) };
  }
  return { fields: fields as Partial<RunDraft>, rest };
}

/** The fields a changed request says something new about: what was typed into the form since stays. */
export function newFields(before: Request, after: Request): Partial<RunDraft> {
  const known: Request = { ...splitRequest(before).fields };
  const fields = Object.entries(splitRequest(after).fields);
  return Object.fromEntries(fields.filter(([name, value]) => known[name] !== value));
}

function readPath(request: Request, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), request);
}

/** A copy without one field; an object that has nothing left goes with it. */
function withoutPath(request: Request, [name = "", ...below]: readonly string[]): Request {
  const { [name]: value, ...others } = request;
  if (below.length === 0 || !isRecord(value)) return others;
  const inner = withoutPath(value, below);
  return Object.keys(inner).length === 0 ? others : { ...others, [name]: inner };
}

const namesOnly = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? value : null;
