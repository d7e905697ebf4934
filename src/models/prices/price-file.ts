import { z } from "zod";
import { parseMapping, readOperatorFile } from "../mapping-file.ts";
import type { PriceOverrides, TokenPrices } from "./price-of.ts";

const amount = z.number("must be a number").min(0, "must not be negative");
const Entry = z.strictObject({
  input: amount,
  output: amount,
  cached_input: amount.optional(),
  cache_write: amount.optional(),
  cache_write_1h: amount.optional(),
});

/** Reads the operator's price file. Rejects with one line that names the file, the field and what is wrong with it. */
export async function readPriceFile(path: string): Promise<PriceOverrides> {
  return parsePriceFile(await readOperatorFile(path), path);
}

/**
 * JSON or YAML: model id → { input, output } in US dollars for a million tokens. 0 means free. Input from a cache, and what is
 * written to one, may have prices of their own.
 *
 * @example parsePriceFile("my-model: { input: 0.5, output: 1.5 }", "prices.yaml")
 */
export function parsePriceFile(text: string, path: string): PriceOverrides {
  const entries = parseMapping(text, { path, of: "model ids to { input, output }" });
  return new Map([...entries].map(([name, value]) => [String(name), parseEntry(String(name), value, path)]));
}

function parseEntry(name: string, value: unknown, path: string): TokenPrices {
  if (name.trim() === "") throw new Error(`${path}: a price has no model id`);
  if (!(value instanceof Map)) throw new Error(`${path}: ${name}: must be { input, output }`);
  const parsed = Entry.safeParse(Object.fromEntries(value));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? `${name}: ${issue.keys.join(", ")} is not one of ${Object.keys(Entry.shape).join(", ")}`
      : `${[name, ...issue.path].join(".")}: ${issue.message}`,
  );
  throw new Error(`${path}: ${problems.join("; ")}`);
}
