import { z } from "zod";
import { priceUsage, type Usage, type UsagePrice } from "../../contract/schemas/shared/usage.ts";
import { parseMappingFile, readOperatorFile } from "./mapping-file.ts";
import { pricesAsOf, priceTable } from "./price-table.ts";

/** US dollars for a million tokens. */
type TokenPrices = UsagePrice;

/** A price and its source in words: which entry of which list. */
export interface Price extends TokenPrices {
  readonly source: string;
}

/** The operator's own prices: model id → price. */
export type PriceOverrides = ReadonlyMap<string, TokenPrices>;

/** Cache prices as shares of the input price, by name with dashes for dots. Other models pay the full price for cached input. */
const families: readonly (readonly [name: RegExp, read: number, write?: number, write1h?: number])[] = [
  [/^claude-/, 0.1, 1.25, 2],
  [/^gpt-5(?:-\d)?(?:-(?:mini|nano|chat|codex|codex-max|codex-mini|sol|terra|luna))?$/, 0.1],
  [/^(?:gpt-4-1(?:-mini|-nano)?|o3|o4-mini)$/, 0.25],
  [/^(?:gpt-4o(?:-mini)?|o1|o1-mini|o3-mini)$/, 0.5],
  [/^gemini-2-0-flash$/, 0.25],
  [/^gemini-(?:2-5|3)/, 0.1],
  [/^deepseek-(?:chat|reasoner|v3-2)$/, 0.1],
  [/^(?:grok-[34]|kimi-k2)(?:-mini|-fast-reasoning|-fast-non-reasoning|-1-fast|-thinking)?$/, 0.25],
];

const builtIn = new Map(
  Object.entries(priceTable).map(([name, [input, output]]) => {
    const { read, write, write1h } = cacheSharesOf(comparable(name));
    const cache = { cached_input: input * read, cache_write: input * write, cache_write_1h: input * write1h };
    return [comparable(name), { name, input, output, ...cache }];
  }),
);

/**
 * The estimated price of a model's tokens: the operator's own price, else the list price of the model or its family. Null
 * when unknown, which is not the same as free. The price of a self-hosted model belongs into the overrides.
 *
 * @example priceOf("openai/gpt-4o-2024-08-06") // { input: 2.5, output: 10, source: "list price of gpt-4o, 2026-08" }
 */
export function priceOf(
  modelId: string,
  overrides: PriceOverrides = new Map(),
  { listPrices = true }: { listPrices?: boolean } = {},
): Price | null {
  const variants = modelVariants(modelId);
  const own = new Map([...overrides].map(([name, price]) => [comparable(name), { name, ...price }]));
  const named = own.get(comparable(modelId)) ?? firstOf(variants, own);
  if (named) return toPrice(named, `the operator's price of ${named.name}`);
  // Free editions have no list price, and that of their family would be wrong.
  if (!listPrices || /:free$/i.test(modelId.trim())) return null;
  const listed = firstOf(variants, builtIn);
  if (!listed) return null;
  return toPrice(listed, `list price of ${listed.name}, ${pricesAsOf}`);
}

function toPrice(
  { input, output, cached_input = input, cache_write = input, cache_write_1h = cache_write }: TokenPrices,
  source: string,
): Price {
  return { input, output, cached_input, cache_write, cache_write_1h, source };
}

/** US dollars for these tokens. Null when the tokens or the price are not known. */
export function costOf(usage: Usage | null | undefined, price: TokenPrices | null): number | null {
  if (!usage || !price) return null;
  return priceUsage(usage, price) / 1_000_000;
}

function firstOf<Value>(names: readonly string[], values: ReadonlyMap<string, Value>): Value | undefined {
  const name = names.find((candidate) => values.has(candidate));
  return name === undefined ? undefined : values.get(name);
}

/** The prices of cached input as shares of the input price. */
interface CacheShares {
  readonly read: number;
  /** Default 1: writing costs as much as input. */
  readonly write: number;
  /** The same for a cache of one hour. */
  readonly write1h: number;
}

function cacheSharesOf(comparableName: string): CacheShares {
  const [, read = 1, write = 1, write1h = write] = families.find(([name]) => name.test(comparableName)) ?? [];
  return { read, write, write1h };
}

/** Parts of a name for a date or an edition, not for the model. */
const editions = [
  /-v\d+(?::\d+)?$/, // Bedrock: …-v1:0
  /(?<!^ft):[\w-]+$/, // hubs: …:beta
  /@[\w-]+$/, // Vertex: …@20250929
  /-(?:latest|preview|exp|experimental|beta)$/,
  /-(?:preview-|exp-)?(?:20\d{2}-\d{2}-\d{2}|20\d{6})$/, // before the shorter dates, which it ends with
  /-(?:preview-|exp-)?\d{2}-\d{4}$/,
  /-(?:preview-|exp-)?\d{2}-\d{2}$/,
  /-(?:0[1-9]|1[0-2])[0-3]\d$/, // gpt-4-0613
  /-2[3-9](?:0[1-9]|1[0-2])$/, // mistral-large-2411
  /-0\d{2}$/, // gemini-2.0-flash-001
  /(?<=instruct)-(?:turbo|fp8)$/, // as hubs mark how they run open weights
];

/**
 * The possible names of a model, the most exact first: without the prefixes of hubs (`openai/`, `us.anthropic.`) and without
 * dates and editions.
 *
 * @example modelVariants("openai/gpt-4o-2024-08-06") // […, "gpt-4o-2024-08-06", …, "gpt-4o"]
 */
function modelVariants(modelId: string): readonly string[] {
  const names = withoutPrefixes(comparable(modelId));
  return [...new Set([...names, ...names.flatMap(withoutEditions)])];
}

/** Hubs write `claude-sonnet-4.5` for the maker's `claude-sonnet-4-5`, and some repeat the maker's name. */
export function comparable(name: string): string {
  return name.trim().toLowerCase().replaceAll(".", "-").replace("/meta-llama-", "/llama-");
}

function withoutPrefixes(name: string): readonly string[] {
  const parts = name.split("/");
  const tails = parts.map((_, index) => parts.slice(index).join("/"));
  // Dots are already dashes: us.anthropic.claude-3 is us-anthropic-claude-3.
  const bare = (tails.at(-1) ?? "").replace(
    /^(?:[a-z]{2,6}-)?(?:anthropic|meta|mistral|openai|google|deepseek|qwen)-(?=[a-z])/,
    "",
  );
  return [...new Set([...tails, bare])].filter((tail) => tail !== "");
}

function withoutEditions(name: string): readonly string[] {
  const shorter: string[] = [];
  let rest = fineTuned(name);
  if (rest !== name) shorter.push(rest);
  for (let edition = editionOf(rest); edition; edition = editionOf(rest)) {
    rest = rest.replace(edition, "");
    shorter.push(rest);
  }
  return shorter;
}

function editionOf(name: string): RegExp | undefined {
  return editions.find((edition) => edition.test(name));
}

/** `ft:gpt-4o-mini-2024-07-18:acme::9x` has the price of its base model. */
function fineTuned(name: string): string {
  return /^ft:[^:]+/.exec(name)?.[0] ?? name;
}

const amount = z.number("must be a number").min(0, "must not be negative");
/** US dollars for a million tokens of a model. */
export const PriceEntry = z.strictObject({
  input: amount,
  output: amount,
  cached_input: amount.optional(),
  cache_write: amount.optional(),
  cache_write_1h: amount.optional(),
});

/** Reads the operator's price file. Rejects with one line that names the file, the field and the problem. */
export async function readPriceFile(path: string): Promise<PriceOverrides> {
  return parsePriceFile(await readOperatorFile(path), path);
}

/**
 * JSON or YAML: model id → { input, output } in US dollars for a million tokens. 0 means free. Cache reads and writes may have
 * prices of their own.
 *
 * @example parsePriceFile("my-model: { input: 0.5, output: 1.5 }", "prices.yaml")
 */
export function parsePriceFile(text: string, path: string): PriceOverrides {
  const entries = parseMappingFile(text, { path, of: "model ids to { input, output }" });
  return new Map([...entries].map(([name, value]) => [String(name), parsePriceEntry(String(name), value, path)]));
}

function parsePriceEntry(name: string, value: unknown, path: string): TokenPrices {
  if (name.trim() === "") throw new Error(`${path}: a price has no model id`);
  if (!(value instanceof Map)) throw new Error(`${path}: ${name}: must be { input, output }`);
  const parsed = PriceEntry.safeParse(Object.fromEntries(value));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? `${name}: ${issue.keys.join(", ")} is not one of ${Object.keys(PriceEntry.shape).join(", ")}`
      : `${[name, ...issue.path].join(".")}: ${issue.message}`,
  );
  throw new Error(`${path}: ${problems.join("; ")}`);
}
