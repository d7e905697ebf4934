import type { PriceOf } from "../../evaluation/budget/helper-usage.ts";
import { readPriceFile } from "../../models/prices/price-file.ts";
import { costOf, priceOf, type Price } from "../../models/prices/price-of.ts";
import type { ModelTarget } from "../../runs/model-target.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { isThisMachine } from "./this-machine.ts";

/**
 * What calls cost by the price table, which the operator's file outranks. A model that runs on this machine has a price
 * only if that file gives it one, whatever its name costs elsewhere.
 */
export async function endpointPrices(file: string | null): Promise<(target: ModelTarget) => PriceOf> {
  const overrides = file === null ? undefined : await readPrices(file);
  return ({ endpoint, model_id }) => {
    const listPrices = !isThisMachine(endpoint);
    const known = new Map<string, Price | null>();
    const find = (id: string): Price | null => {
      // That a model has no price is worth remembering too: finding it out takes longest.
      if (!known.has(id)) known.set(id, priceOf(id, overrides, { listPrices }));
      return known.get(id) ?? null;
    };
    return ({ model, usage }) => costOf(usage, find(model_id) ?? (model === null ? null : find(model)));
  };
}

/** The operator's own prices. A file that cannot be used stops the start. */
export function readPrices(file: string): ReturnType<typeof readPriceFile> {
  return readPriceFile(file).catch((cause: Error) => {
    throw new SettingsError("REHEARSAL_PRICES_FILE", cause.message, { cause });
  });
}
