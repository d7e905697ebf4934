import { z } from "zod";
import { validationMessage } from "../../contract/schemas/shared/validation-message.ts";
import { parseMappingFile, readOperatorFile } from "../prices/mapping-file.ts";
import type { StudioModel } from "./studio-registry.ts";
import { canonicalUuid, isUuid } from "../routing/model-id.ts";

const Uuid = z.string("must be a UUID").refine(isUuid, "must be a UUID");

const Entry = z.union([
  Uuid.transform((id) => ({ id })),
  z.strictObject({
    id: Uuid,
    base_url: z.string().refine(isBaseUrl, "must be an http or https URL without user info or fragment").optional(),
    model: z.string().min(1, "must not be empty").optional(),
  }),
]);

/** Reads STUDIO_MODELS_FILE. Rejects with one line that names the file, the field and the problem. */
export async function readModelsFile(path: string): Promise<StudioModel[]> {
  return parseModelsFile(await readOperatorFile(path), path);
}

/**
 * JSON or YAML: name → UUID, or name → { id, base_url?, model? }.
 *
 * @example parseModelsFile("support-v2: 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "models.yaml")
 */
export function parseModelsFile(text: string, path: string): StudioModel[] {
  // Every value is text: the failsafe schema keeps a UUID of decimal digits from becoming a number.
  const entries = parseMappingFile(text, { path, of: "model names to UUIDs", yaml: { schema: "failsafe" } });
  const models = [...entries].map(([key, value]) => {
    const name = String(key);
    return { name, ...parseEntry(name, value, path) };
  });
  refuseRepeatedIds(models, path);
  return models;
}

function parseEntry(name: string, value: unknown, path: string): Omit<StudioModel, "name"> {
  if (name.trim() === "") throw new Error(`${path}: a model has an empty name`);
  const isMapping = value instanceof Map;
  const parsed = Entry.safeParse(isMapping ? Object.fromEntries(value) : value, { error: validationMessage });
  if (parsed.success) return parsed.data;

  const problems = isMapping ? fieldProblems(name, parsed.error) : [`${name}: must be a UUID, or hold one as id`];
  throw new Error(`${path}: ${problems.join("; ")}`);
}

/** The union reports each branch; the last one is the mapping, which has the user's fields. */
function fieldProblems(name: string, error: z.ZodError): string[] {
  const [issue] = error.issues;
  const issues = issue?.code === "invalid_union" ? (issue.errors.at(-1) ?? []) : error.issues;
  return issues.map((each) => {
    if (each.code === "unrecognized_keys") return `${name}: ${each.keys.join(", ")} is not one of id, base_url, model`;
    return `${[name, ...each.path].join(".")}: ${each.message}`;
  });
}

function refuseRepeatedIds(models: readonly StudioModel[], path: string): void {
  const names = new Map<string, string>();
  for (const { name, id } of models) {
    const other = names.get(canonicalUuid(id));
    if (other !== undefined) throw new Error(`${path}: ${name}: has the same UUID as ${other}`);
    names.set(canonicalUuid(id), name);
  }
}

function isBaseUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash;
}
