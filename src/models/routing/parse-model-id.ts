import { firstCharacters } from "../../base/text.ts";
import { ServiceError } from "../../contract/errors.ts";
import { rememberLast } from "../outbound/remember-last.ts";
import { isUuid } from "../studio/uuid.ts";

const shown = 80;

/** What an `x-model-id` asks for. `id` is the value as it came. */
export type ModelId =
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
): ModelId {
  if (value === null || value === undefined) {
    throw new ServiceError("model_id_missing", "The request has no x-model-id header");
  }
  if (value.length > longest) throw invalid(value, `is longer than ${longest} characters`);
  return readModelId(value);
}

/** A service is asked for the same few models over and over, twice at each turn. */
const readModelId = rememberLast((value: string): ModelId => {
  const problem = findProblem(value);
  if (problem) throw invalid(value, problem);
  if (isUuid(value)) return { kind: "fine-tuned", id: value };

  const slash = value.indexOf("/");
  if (slash === -1) return { kind: "name", name: value };
  return { kind: "hub", id: value, provider: value.slice(0, slash), model: value.slice(slash + 1) };
});

export const bothForms = "the UUID of a fine-tuned model (GET /studio/models lists them) or <provider>/<model_name>";

/** What keeps a value from being any model's id: said to the caller after the value. */
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

function invalid(value: string, problem: string): ServiceError {
  return new ServiceError("model_id_invalid", `x-model-id ${quote(value)} ${problem}; send ${bothForms}`);
}

function quote(value: string): string {
  return JSON.stringify(firstCharacters(value, shown));
}
