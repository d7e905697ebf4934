import { distance } from "fastest-levenshtein";
import type { StudioModel } from "../studio/studio-model.ts";
import { parseModelId } from "./parse-model-id.ts";
import type { Providers } from "./providers.ts";

/** A model that `x-model-id` can select. */
export interface KnownModel {
  /** What to send. */
  readonly id: string;
  readonly kind: "fine-tuned" | "hub" | "alias";
  /** What people call it, when that is not the id. */
  readonly name?: string;
}

/** What can be said about models without calling one. A list that cannot be read counts as empty here. */
interface KnownModels {
  /** UUIDs of the fine-tuned models with exactly this name. `failed`: the list could not be read. */
  findByName(name: string): Promise<{ ids: readonly string[]; failed: boolean }>;
  /** Up to five values for `x-model-id` that are near to what was sent. */
  suggest(value: string): Promise<string[]>;
  suggestFineTuned(uuid: string): Promise<string[]>;
  list(): Promise<readonly KnownModel[]>;
}

export function createKnownModels({
  aliases = {},
  demo,
  studio,
  knownHubModels,
  listHubModels,
}: Providers): KnownModels {
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
    async list() {
      const [tuned, listed] = await Promise.all([fineTuned(), listHubModels?.() ?? []]);
      const hub = new Set([...Object.keys(demo?.hub ?? {}), ...(knownHubModels?.() ?? []), ...listed]);
      return [
        ...Object.keys(aliases).map((id): KnownModel => ({ id, kind: "alias" })),
        ...tuned.map(({ id, name }): KnownModel => ({ id, kind: "fine-tuned", name })),
        ...[...hub].map((id): KnownModel => ({ id, kind: "hub" })),
      ];
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

/** Something a caller may have meant: `id` is what to send, `label` what it is called, when that differs. */
interface Candidate {
  readonly id: string;
  readonly label?: string;
}

const longestCompared = 128;

/** Up to `limit` ids nearest to what was sent, nearest first, without repeats. */
export function nearestIds(value: string, candidates: readonly Candidate[], limit = 5): string[] {
  const ranked = candidates
    .map((candidate) => ({ id: candidate.id, difference: differenceTo(value, candidate) }))
    .toSorted((left, right) => left.difference - right.difference);
  return [...new Set(ranked.map(({ id }) => id))].slice(0, limit);
}

/** 0 for equal up to 1 for nothing alike; the part after the last slash counts alone too, as people forget the provider. */
function differenceTo(value: string, { id, label = id }: Candidate): number {
  const parts = [id, label, id.slice(id.lastIndexOf("/") + 1)];
  return Math.min(...parts.map((part) => relativeDistance(fold(value), fold(part))));
}

function relativeDistance(left: string, right: string): number {
  const length = Math.max(left.length, right.length, 1);
  const shared = left.length > 2 && (right.includes(left) || left.includes(right)) ? 0.5 : 1;
  return (shared * distance(left, right)) / length;
}

function fold(text: string): string {
  return text.slice(0, longestCompared).toLowerCase();
}
