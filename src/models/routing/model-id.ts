import { truncateText } from "../../base/text.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { memoizeText } from "../../base/memoize-text.ts";

const shown = 80;

/** The parsed `x-model-id`. `id` is the value as received. */
export type ParsedModelId =
  | { readonly kind: "fine-tuned"; readonly id: string }
  | { readonly kind: "hub"; readonly id: string; readonly provider: string; readonly model: string }
  | { readonly kind: "name"; readonly name: string };

/**
 * Reads the value of the `x-model-id` header; throws `model_id_missing` or `model_id_invalid`.
 *
 * @example parseModelId("hf/meta-llama/Llama-3.1-8B:free") // { kind: "hub", provider: "hf", model: "meta-llama/Llama-3.1-8B:free", … }
 */
export function parseModelId(
  value: string | null | undefined,
  { longest = 512 }: { longest?: number | undefined } = {},
): ParsedModelId {
  if (value === null || value === undefined) {
    throw new ServiceError("model_id_missing", "The request has no x-model-id header");
  }
  if (value.length > longest) throw invalidModelId(value, `is longer than ${longest} characters`);
  return readModelId(value);
}

/** Cached: a service is asked for the same few models, twice per turn. */
const readModelId = memoizeText((value: string): ParsedModelId => {
  const problem = findProblem(value);
  if (problem) throw invalidModelId(value, problem);
  if (isUuid(value)) return { kind: "fine-tuned", id: value };

  const slash = value.indexOf("/");
  if (slash === -1) return { kind: "name", name: value };
  return { kind: "hub", id: value, provider: value.slice(0, slash), model: value.slice(slash + 1) };
});

export const bothForms = "the UUID of a fine-tuned model (GET /studio/models lists them) or <provider>/<model_name>";

/** The reason why a value cannot be a model id, in words that follow the value. */
function findProblem(value: string): string | null {
  if (value.trim() === "") return "is empty";
  if (value.includes(",")) return "holds a comma, as a header sent twice does";
  if (value.includes(" ")) return "holds a space";
  if (!/^[!-~]+$/.test(value)) return "holds characters other than printable ASCII";
  if (/[?#\\]/.test(value)) return "holds ?, # or \\";
  // Providers put the id into a path: an escape could hide a dot or a slash there.
  if (/%[0-9a-f]{2}/i.test(value)) return "holds a percent escape";

  const segments = value.split("/");
  if (segments.includes("")) return "has an empty part beside a slash";
  if (segments.some((segment) => segment === "." || segment === "..")) return "has a part that is only dots";
  return null;
}

function invalidModelId(value: string, problem: string): ServiceError {
  return new ServiceError("model_id_invalid", `x-model-id ${quoteId(value)} ${problem}; send ${bothForms}`);
}

function quoteId(value: string): string {
  return JSON.stringify(truncateText(value, shown));
}

const hyphenated = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const digits = `(?:${hyphenated}|[0-9a-f]{32})`;
const forms = new RegExp(String.raw`^(?:${digits}|urn:uuid:${digits}|\{${digits}\})$`, "i");

/** True for a UUID of any version and variant, in any usual spelling: hyphenated, bare hex, braced or `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return forms.test(value);
}

/** One spelling for all spellings of a UUID, for comparison only: the caller's value is forwarded unchanged. */
export function canonicalUuid(uuid: string): string {
  const hex = uuid
    .toLowerCase()
    .replace(/^urn:uuid:/, "")
    .replaceAll(/[^0-9a-f]/g, "");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * Checks the operator's alias table at start-up: alias → UUID or `<provider>/<model_name>`.
 * An alias may not look like either form, so that it can never capture a value the routing rules decide.
 */
export function checkAliases(aliases: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  for (const [alias, target] of Object.entries(aliases)) {
    const problem = findAliasProblem(alias) ?? findTargetProblem(target);
    if (problem) throw new Error(`Model alias ${JSON.stringify(alias)}: ${problem}`);
  }
  return new Map(Object.entries(aliases));
}

function findAliasProblem(alias: string): string | null {
  if (alias.includes("/")) return "an alias may not contain a slash";
  if (isUuid(alias)) return "an alias may not look like a UUID";
  return idKind(alias) === "name" ? null : "an alias is printable ASCII without spaces, commas, ?, # or \\";
}

function findTargetProblem(target: string): string | null {
  const kind = idKind(target);
  if (kind === "fine-tuned" || kind === "hub") return null;
  return `${JSON.stringify(target)} is neither a UUID nor <provider>/<model_name>`;
}

function idKind(value: string) {
  try {
    return parseModelId(value).kind;
  } catch {
    return null;
  }
}
