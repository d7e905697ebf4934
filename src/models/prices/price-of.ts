import { priceUsage, type Usage, type UsagePrice } from "../../contract/schemas/usage.ts";
import { pricesAsOf, priceTable } from "./price-table.ts";

/** US dollars for a million tokens. */
export type TokenPrices = UsagePrice;

/** A price and where it comes from, for people: which entry of which list. */
export interface Price extends TokenPrices {
  readonly source: string;
}

/** What the operator knows better: model id → price. */
export type PriceOverrides = ReadonlyMap<string, TokenPrices>;

/** By the names of the price table, dots as dashes. Of a model that is not here nothing is known: its cached input costs the whole price. */
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
 * What a model's tokens cost, as an estimate: the operator's own price, else the list price of the model or its family.
 * Null when it is not known, which is not the same as free. Says nothing about where a model runs: whoever calls a server of
 * their own for an open model pays another price, and says so in the overrides.
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
  // Free editions are not sold, so the price of their family would be wrong; what they cost is not ours to say.
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

/** What input costs that a provider keeps, as a share of its price for input: to read it again, and to write it down. */
interface CacheShares {
  readonly read: number;
  /** 1 where it is not told: then writing costs what input costs. */
  readonly write: number;
  /** The same where it is kept for an hour. */
  readonly write1h: number;
}

function cacheSharesOf(comparableName: string): CacheShares {
  const [, read = 1, write = 1, write1h = write] = families.find(([name]) => name.test(comparableName)) ?? [];
  return { read, write, write1h };
}

/** Parts of a name that say when or in which edition, not which model. */
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
 * The names one model may be known by, the most exact first: without what hubs put before a name (`openai/`, `us.anthropic.`)
 * and without the dates and editions after it.
 *
 * @example modelVariants("openai/gpt-4o-2024-08-06") // […, "gpt-4o-2024-08-06", …, "gpt-4o"]
 */
function modelVariants(modelId: string): readonly string[] {
  const names = withoutPrefixes(comparable(modelId));
  return [...new Set([...names, ...names.flatMap(withoutEditions)])];
}

/** Hubs write `claude-sonnet-4.5` where the maker writes `claude-sonnet-4-5`, and some put the maker's name in front twice. */
export function comparable(name: string): string {
  return name.trim().toLowerCase().replaceAll(".", "-").replace("/meta-llama-", "/llama-");
}

function withoutPrefixes(name: string): readonly string[] {
  const parts = name.split("/");
  const tails = parts.map((_, index) => parts.slice(index).join("/"));
  // Dots are dashes by now: us.anthropic.claude-3 is us-anthropic-claude-3.
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

/** `ft:gpt-4o-mini-2024-07-18:acme::9x` is priced as what it was made from. */
function fineTuned(name: string): string {
  return /^ft:[^:]+/.exec(name)?.[0] ?? name;
}
