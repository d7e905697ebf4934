import type { StudioModel } from "../studio/studio-model.ts";
import { nearestIds, type Candidate } from "./nearest-ids.ts";
import { parseModelId } from "./parse-model-id.ts";
import type { Providers } from "./providers.ts";

/** What can be said about models without calling one. A list that cannot be read counts as empty here. */
export interface KnownModels {
  /** UUIDs of the fine-tuned models with exactly this name. `failed`: the list could not be read. */
  findByName(name: string): Promise<{ ids: readonly string[]; failed: boolean }>;
  /** Up to five values for `x-model-id` that are near to what was sent. */
  suggest(value: string): Promise<string[]>;
  suggestFineTuned(uuid: string): Promise<string[]>;
}

export function createKnownModels({ aliases = {}, demo, studio, knownHubModels }: Providers): KnownModels {
  const demoModels = Object.entries(demo?.studio ?? {}).map(([name, { id }]) => ({ name, id }));

  async function fineTuned(): Promise<StudioModel[]> {
    const list = await studio?.registry.list().catch(() => null);
    return [...demoModels, ...Object.entries(list?.models ?? {}).map(([name, id]) => ({ name, id }))];
  }

  return {
    async findByName(name) {
      const listed = studio ? await studio.registry.findByName(name).catch(() => null) : [];
      const named = [...demoModels.filter((model) => model.name === name), ...(listed ?? [])];
      return { ids: [...new Set(named.map(({ id }) => id))], failed: listed === null };
    },
    async suggest(value) {
      const ids = [...Object.keys(aliases), ...Object.keys(demo?.hub ?? {}), ...(knownHubModels?.() ?? [])];
      return nearestIds(value, [...ids.map((id) => ({ id })), ...(await fineTuned()).map(toCandidate)]);
    },
    async suggestFineTuned(uuid) {
      return nearestIds(
        uuid,
        (await fineTuned()).map(({ id }) => ({ id })),
      );
    },
  };
}

/** Suggests the name where the header can carry it, else the UUID. */
function toCandidate({ name, id }: StudioModel): Candidate {
  try {
    return parseModelId(name).kind === "name" ? { id: name } : { id, label: name };
  } catch {
    return { id, label: name };
  }
}
