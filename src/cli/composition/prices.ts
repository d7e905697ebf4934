import type { TokenPrice } from "../../agent/tools/agent-limits.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import { costOf, priceOf, readPriceFile, type Price, type PriceOverrides } from "../../models/prices/price-of.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { ModelTarget } from "../../runs/plan/model-target.ts";
import type { Settings } from "../../settings.ts";
import { isLoopback } from "../../settings/address.ts";
import { SettingsError } from "../../settings/settings-error.ts";

/**
 * Prices of calls to endpoints under test. The operator's file outranks the built-in price table. A model on this machine
 * has a price only in that file, even if the table lists its name.
 */
export async function endpointPrices(
  settings: Pick<Settings, "pricesFile" | "prices">,
): Promise<(target: ModelTarget) => PriceOf> {
  const overrides = await readPrices(settings);
  return ({ endpoint, model_id }) => {
    const listPrices = !isThisMachine(endpoint);
    const known = new Map<string, Price | null>();
    const find = (id: string): Price | null => {
      // A missing price is cached too: that lookup takes longest.
      if (!known.has(id)) known.set(id, priceOf(id, overrides, { listPrices }));
      return known.get(id) ?? null;
    };
    return ({ model, usage }) => costOf(usage, find(model_id) ?? (model === null ? null : find(model)));
  };
}

/**
 * US dollars per token of the agent's models, by the name in `x-model-resolved`: the operator's price, else the list price
 * of a hub's model. Fine-tuned models, demo models and models on this machine have no list price.
 */
export async function agentPrices(
  { hub, ...own }: Pick<Settings, "pricesFile" | "prices" | "hub">,
  hubProviders: readonly HubProvider[],
): Promise<(resolved: string) => TokenPrice | undefined> {
  const overrides = await readPrices(own);
  const addresses = new Map(hubProviders.map(({ name, baseUrl }) => [name, baseUrl]));
  const known = new Map<string, TokenPrice | undefined>();

  function find(resolved: string): TokenPrice | undefined {
    const [provider = ""] = resolved.split("/", 1);
    const address = provider === resolved ? undefined : (addresses.get(provider) ?? hub?.baseUrl);
    const listPrices = address !== undefined && !isThisMachine(address);
    const price = priceOf(resolved, overrides, { listPrices });
    return price ? perToken(price) : undefined;
  }

  return (resolved) => {
    if (!known.has(resolved)) {
      // Clients choose the names, so the cache is bounded.
      if (known.size >= 1_000) known.clear();
      known.set(resolved, find(resolved));
    }
    return known.get(resolved);
  };
}

/** Reads the operator's prices. An unusable file prevents the start. */
async function readPrices({
  pricesFile,
  prices = {},
}: Pick<Settings, "pricesFile" | "prices">): Promise<PriceOverrides> {
  const read =
    pricesFile === null
      ? []
      : await readPriceFile(pricesFile).catch((cause: Error) => {
          throw new SettingsError("REHEARSAL_PRICES_FILE", cause.message, { cause });
        });
  return new Map([...read, ...Object.entries(prices)]);
}

const isThisMachine = (address: string): boolean => isLoopback(URL.parse(address)?.hostname ?? "");

const million = 1_000_000;

function perToken(price: TokenPrice): TokenPrice {
  const { input, output, cached_input = input, cache_write = input, cache_write_1h = cache_write } = price;
  return {
    input: input / million,
    output: output / million,
    cached_input: cached_input / million,
    cache_write: cache_write / million,
    cache_write_1h: cache_write_1h / million,
  };
}
