import type { StudioModel } from "./studio-model.ts";
import { canonicalUuid } from "./uuid.ts";

const shortestSuffix = 8;

/** Gives every model a key of its own: its name or, when that is taken, the name and the start of its UUID. */
export function nameModels(models: readonly StudioModel[]): Map<string, StudioModel> {
  const named = new Map<string, StudioModel>();
  const seen = new Set<string>();
  for (const model of models) {
    const pair = `${canonicalUuid(model.id)} ${model.name}`;
    if (!seen.has(pair)) named.set(freeKey(named, model), model);
    seen.add(pair);
  }
  return named;
}

function freeKey(named: ReadonlyMap<string, StudioModel>, { name, id }: StudioModel): string {
  const uuid = canonicalUuid(id);
  let key = name;
  for (let length = shortestSuffix; named.has(key); length += 1) {
    // Past the whole UUID only a name made to collide is left; a repeat mark always ends the search.
    key = length <= uuid.length ? `${name}-${uuid.slice(0, length)}` : `${key}'`;
  }
  return key;
}
