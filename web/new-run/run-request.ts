import { compact } from "../../src/base/compact.ts";
import { isRecord } from "../../src/base/json.ts";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { emptyDraft, protocolOptions, readProtocol, untilOptions, type RunDraft } from "./run-draft.ts";
import { haveWorld, parseScenarios } from "./scenario-text.ts";

type RunRequestBody = Readonly<Record<string, unknown>>;
type FieldName = keyof RunDraft;

/** Path of each form field in the request. */
const fieldPaths: Readonly<Record<FieldName, readonly string[]>> = {
  name: ["test_name"],
  endpoint: ["endpoint"],
  model: ["model_id"],
  protocol: ["protocol"],
  worldHeader: ["world_address", "header"],
  attempts: ["attempts"],
  until: ["attempts", "until"],
  against: ["attempts", "against"],
  margin: ["attempts", "margin"],
  systemPrompt: ["system_prompt"],
  history: ["history"],
  threshold: ["threshold"],
  scorers: ["scorers"],
  concurrency: ["concurrency"],
  priority: ["priority"],
  temperature: ["parameters", "temperature"],
  money: ["budget", "money"],
  judgeEndpoint: ["judge", "endpoint"],
  judgeModel: ["judge", "model_id"],
  judgeRubric: ["judge", "rubric"],
  judgeVotes: ["judge", "votes"],
  scenarios: ["test_batch"],
};

const fieldNames = Object.keys(fieldPaths) as readonly FieldName[];

/** Fields whose text is the request's value. */
const plainFields = fieldNames.filter(
  (name) => !["protocol", "scorers", "scenarios", "until", "against", "margin"].includes(name),
);

export const fieldPointer = (name: FieldName): string => `/${fieldPaths[name].join("/")}`;

/** The problems of a form field, or of anything inside it that has no field of its own. */
export const problemsOf = (problems: readonly FieldProblem[], name: FieldName): FieldProblem[] => {
  const found = problemsAt(problems, fieldPointer(name));
  if (name !== "attempts") return found;
  const inner = (["until", "against", "margin"] as const).flatMap((field) => problemsAt(problems, fieldPointer(field)));
  return found.filter((problem) => !inner.includes(problem));
};

/** The problems of values without a form field: they come from a pasted request. */
export const problemsOutsideForm = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.filter((problem) => fieldNames.every((name) => problemsOf([problem], name).length === 0));

/**
 * The body of POST /evaluate for a draft. Empty fields are left out, so that the service's checks and defaults apply. Only values
 * without a form field are taken from a pasted request: a field that was cleared is not sent.
 */
export function buildRequest(draft: RunDraft): RunRequestBody {
  const parsed = parseScenarios(draft.scenarios);
  const { rest } = splitRequest(parsed.kind === "parsed" ? parsed.request : {});
  const request = fieldNames.reduce((request, name) => {
    const value =
      name === "scenarios" ? (parsed.kind === "parsed" ? parsed.batch : undefined) : fieldValue(draft, name);
    return value === undefined ? request : withPath(request, fieldPaths[name], value);
  }, rest);
  return draft.until === "" ? request : { ...request, attempts: untilDecided(draft) };
}

/** `attempts` of a run that stops when it is decided. */
function untilDecided({ until, against, margin, attempts }: RunDraft): RunRequestBody {
  const each = parseNumber(attempts.trim());
  const other = until === "threshold" ? parseNumber(against.trim()) : against.trim();
  const accepted = parseNumber(margin.trim());
  return compact({
    until: "decided",
    against: { [until]: other ?? "" },
    each: each !== undefined && each !== 1 ? each : undefined,
    margin: accepted,
  });
}

/** The form fields of such `attempts`; null when they have settings without a field. */
function untilFields(attempts: unknown): Partial<RunDraft> | null {
  if (!isRecord(attempts) || attempts["until"] !== "decided" || !isRecord(attempts["against"])) return null;
  const { until: _, against, each = 1, margin = "", score = "overall", ...others } = attempts;
  const [kind, value] = Object.entries(against as RunRequestBody)[0] ?? [];
  const until = untilOptions.find(({ id }) => id === kind && id !== "")?.id;
  const isPlain =
    Object.keys(others).length === 0 && score === "overall" && Object.keys(against as object).length === 1;
  if (!isPlain || until === undefined) return null;
  return { until, against: String(value), attempts: String(each), margin: String(margin) };
}

interface DraftOptions {
  /** Ids of the scenarios to take; null for all. */
  readonly only: readonly string[] | null;
}

/** The draft that would send this request. Values without a form field go into the scenario text, as in a pasted request. */
export function draftFromRequest(
  { test_batch: batch, ...request }: RunRequestBody,
  { only }: DraftOptions = { only: null },
): RunDraft {
  const { fields, rest } = splitRequest(request);
  const test_batch = only && Array.isArray(batch) ? batch.filter(isChoice(only)) : batch;
  const text = Object.keys(rest).length === 0 ? test_batch : { ...rest, test_batch };
  return { ...emptyDraft, ...fields, scenarios: JSON.stringify(text, null, 2) };
}

interface SplitRequest {
  /** The values with a form field. */
  readonly fields: Partial<RunDraft>;
  /** The other values, to be sent unchanged. */
  readonly rest: RunRequestBody;
}

/** Splits a request without scenarios into form fields and the rest. */
export function splitRequest(request: RunRequestBody): SplitRequest {
  const fields: Partial<Record<FieldName, string>> = {};
  let rest = request;
  for (const field of plainFields) {
    const path = fieldPaths[field];
    const value = readPath(request, path);
    if (typeof value !== "string" && typeof value !== "number") continue;
    fields[field] = field === "history" && value === "generated" ? "" : String(value);
    rest = withoutPath(rest, path);
  }
  // A target is shown as JSON.
  if (isRecord(request["endpoint"])) {
    fields.endpoint = JSON.stringify(request["endpoint"]);
    rest = withoutPath(rest, ["endpoint"]);
  }
  // An object instead of a number of attempts is sent too, so that the service refuses it and the form's default does not replace it.
  const until = untilFields(request["attempts"]);
  if (until) {
    Object.assign(fields, until);
    rest = withoutPath(rest, ["attempts"]);
  } else if (isRecord(request["attempts"])) fields.attempts = "";
  // Checks with options have no field; they are sent unchanged while the field is empty.
  const names = namesOnly(request["scorers"]);
  if (names) {
    fields.scorers = names.join(", ");
    rest = withoutPath(rest, ["scorers"]);
  }
  if (protocolOptions.some(({ id }) => id === request["protocol"])) {
    const protocol = readProtocol(request["protocol"]);
    return { fields: { ...(fields as Partial<RunDraft>), protocol }, rest: withoutPath(rest, ["protocol"]) };
  }
  return { fields: fields as Partial<RunDraft>, rest };
}

/** The form fields that differ between two pasted requests: only these overwrite the form's input. */
export function changedFields(before: RunRequestBody, after: RunRequestBody): Partial<RunDraft> {
  const known: RunRequestBody = { ...splitRequest(before).fields };
  const fields = Object.entries(splitRequest(after).fields);
  return Object.fromEntries(fields.filter(([name, value]) => known[name] !== value));
}

/** The request as a curl command for a POSIX shell. The shell fills in the API key, so the copied text holds no secret. */
export function curlCommand(url: string, body: unknown, { guarded = false } = {}): string {
  const authorization = guarded ? ` -H "authorization: Bearer $REHEARSAL_API_KEY"` : "";
  return `curl ${quote(url)}${authorization} -H 'content-type: application/json' --data-raw ${quote(JSON.stringify(body))}`;
}

/** True when an agent is asked that acts in a world only if it gets the address. A model is offered the tools instead. */
export const takesWorldHeader = ({ protocol, scenarios }: RunDraft): boolean =>
  protocol === "agent" && haveWorld(scenarios);

/** The request's value for a field; undefined if the field is empty. */
function fieldValue(draft: RunDraft, name: Exclude<FieldName, "scenarios">): unknown {
  const text = draft[name].trim();
  switch (name) {
    case "until":
    case "against":
    case "margin":
      // Part of `attempts`.
      return undefined;
    case "worldHeader":
      return text !== "" && takesWorldHeader(draft) ? text : undefined;
    case "protocol":
      return text === "openai-chat" ? undefined : text;
    case "systemPrompt":
      return draft.systemPrompt === "" ? undefined : draft.systemPrompt;
    case "scorers":
      return parseNames(text);
    case "endpoint":
      return parseTarget(text);
    case "attempts":
    case "threshold":
    case "concurrency":
    case "priority":
    case "temperature":
    case "money":
    case "judgeVotes":
      return parseNumber(text);
    default:
      return text === "" ? undefined : text;
  }
}

/** An address, or a target as JSON. Text that is neither is sent unchanged: the service reports the error. */
function parseTarget(text: string): unknown {
  if (!text.startsWith("{")) return text === "" ? undefined : text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Text that is not a number is sent unchanged: the service reports the error. */
function parseNumber(text: string): number | string | undefined {
  if (text === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function parseNames(text: string): string[] | undefined {
  const names = text.split(",").map((name) => name.trim());
  const typed = names.filter((name) => name !== "");
  return typed.length === 0 ? undefined : typed;
}

const namesOnly = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string") ? value : null;

/** Matches scenarios by id. URLs cannot hold lone surrogates, so ids are compared in well-formed text. */
function isChoice(ids: readonly string[]): (scenario: unknown) => boolean {
  const wanted = new Set(ids.map((id) => id.toWellFormed()));
  return (scenario) => isRecord(scenario) && wanted.has(String(scenario["id"]).toWellFormed());
}

function readPath(request: RunRequestBody, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), request);
}

/** A copy with one more value; other values in nested objects stay. */
function withPath(request: RunRequestBody, [name = "", ...below]: readonly string[], value: unknown): RunRequestBody {
  if (below.length === 0) return { ...request, [name]: value };
  const inner = request[name];
  return { ...request, [name]: withPath(typeof inner === "object" ? { ...inner } : {}, below, value) };
}

/** A copy without one value; nested objects left empty are removed too. */
function withoutPath(request: RunRequestBody, [name = "", ...below]: readonly string[]): RunRequestBody {
  const { [name]: value, ...others } = request;
  if (below.length === 0 || !isRecord(value)) return others;
  const inner = withoutPath(value, below);
  return Object.keys(inner).length === 0 ? others : { ...others, [name]: inner };
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
