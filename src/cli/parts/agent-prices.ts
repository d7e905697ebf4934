import type { TokenPrice } from "../../agent/agent-limits.ts";
import { priceOf } from "../../models/prices/price-of.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { Settings } from "../../settings.ts";
import { readPrices } from "./endpoint-prices.ts";
import { isThisMachine } from "./this-machine.ts";

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

/**
 * US dollars per token of the models the agent serves, by what `x-model-resolved` says: the operator's own price, else
 * the list price of a hub's model. Fine-tuned models, demo models and whatever runs on this machine cost what the
 * operator says, or nobody knows.
 */
export async function agentPrices(
  { pricesFile, hub }: Pick<Settings, "pricesFile" | "hub">,
  hubProviders: readonly HubProvider[],
): Promise<(resolved: string) => TokenPrice | undefined> {
  const overrides = pricesFile === null ? undefined : await readPrices(pricesFile);
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
      // Clients choose the names: what is remembered has an end.
      if (known.size >= 1_000) known.clear();
      known.set(resolved, find(resolved));
    }
    return known.get(resolved);
  };
}
