import { priceUsage, type Usage, type UsagePrice } from "../../contract/schemas/usage.ts";
import { cacheSharesOf } from "./cache-shares.ts";
import { comparable, modelVariants } from "./model-variants.ts";
import { pricesAsOf, priceTable } from "./price-table.ts";

/** US dollars for a million tokens. */
export type TokenPrices = UsagePrice;

/** A price and where it comes from, for people: which entry of which list. */
export interface Price extends TokenPrices {
  readonly source: string;
}

/** What the operator knows better: model id → price. */
export type PriceOverrides = ReadonlyMap<string, TokenPrices>;

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
