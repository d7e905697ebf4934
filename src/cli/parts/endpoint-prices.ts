import type { RunSettings } from "../../contract/evaluation-request.ts";
import type { PriceOf } from "../../evaluation/helper-usage.ts";
import { costOf, priceOf } from "../../models/prices/price-of.ts";

const thisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What a call costs by the price table. A model that runs on this machine has no price, whatever its name is elsewhere. */
export function endpointPrices({ endpoint, model_id }: RunSettings): PriceOf {
  const host = URL.parse(endpoint)?.hostname ?? "";
  if (thisMachine.test(host)) return () => null;
  return ({ model, usage }) => costOf(usage, priceOf(model_id) ?? (model === null ? null : priceOf(model)));
}
