import { readFile } from "node:fs/promises";
import { parseDocument } from "yaml";
import { z } from "zod";
import type { PriceOverrides, TokenPrices } from "./price-of.ts";

const amount = z.number("must be a number").min(0, "must not be negative");
const Entry = z.strictObject({ input: amount, output: amount });

/** Reads the operator's price file. Rejects with one line that names the file, the field and what is wrong with it. */
export async function readPriceFile(path: string): Promise<PriceOverrides> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"})`, {
      cause: error,
    });
  }
  return parsePriceFile(text, path);
}

/**
 * JSON or YAML: model id → { input, output } in US dollars for a million tokens. 0 means free.
 *
 * @example parsePriceFile("my-model: { input: 0.5, output: 1.5 }", "prices.yaml")
 */
export function parsePriceFile(text: string, path: string): PriceOverrides {
  return new Map(
    [...entriesOf(text, path)].map(([name, value]) => [String(name), parseEntry(String(name), value, path)]),
  );
}

/** JSON is YAML too, so one parser serves both. */
function entriesOf(text: string, path: string): ReadonlyMap<unknown, unknown> {
  const document = parseDocument(text);
  const problem = document.errors[0];
  if (problem) throw new Error(`${path}: not valid YAML or JSON: ${problem.message.split("\n")[0]}`);
  const content: unknown = document.toJS({ mapAsMap: true });
  if (content === null || content === undefined) return new Map();
  if (!(content instanceof Map)) throw new Error(`${path}: must map model ids to { input, output }`);
  return content;
}

function parseEntry(name: string, value: unknown, path: string): TokenPrices {
  if (name.trim() === "") throw new Error(`${path}: a price has no model id`);
  if (!(value instanceof Map)) throw new Error(`${path}: ${name}: must be { input, output }`);
  const parsed = Entry.safeParse(Object.fromEntries(value));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? `${name}: ${issue.keys.join(", ")} is not one of input, output`
      : `${[name, ...issue.path].join(".")}: ${issue.message}`,
  );
  throw new Error(`${path}: ${problems.join("; ")}`);
}
