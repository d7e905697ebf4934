import { levenshtein } from "../../base/text.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { StudioModel, StudioRegistry } from "../studio/studio-registry.ts";
import { parseModelId } from "./model-id.ts";

/** Creates the model with the provider's name `upstreamModel`. */
export type ModelFactory = (upstreamModel: string) => ChatModel;

/** The fine-tuned provider. */
export interface StudioProvider {
  readonly registry: StudioRegistry;
  /** True when the registry reads a models file: it is then asked for each model's own address and upstream name. */
  readonly fromFile: boolean;
  /** Serves models at STUDIO_BASE_URL. Without it only listed models that have a `base_url` can be served. */
  readonly create?: ModelFactory | undefined;
  /** Serves a model at the `base_url` of its entry. */
  readonly createAt?: ((baseUrl: string) => ModelFactory) | undefined;
}

/** The built-in demo: hub models by id, fine-tuned models by name. */
interface DemoProvider {
  readonly hub: Readonly<Record<string, ChatModel>>;
  readonly studio: Readonly<Record<string, { readonly id: string; readonly model: ChatModel }>>;
}

/** The configured providers. */
export interface Providers {
  /** Serves every `<provider>/<model_name>` without a provider of its own; gets the whole value. */
  readonly hub?: ModelFactory | undefined;
  /** Providers by the name before the slash; each gets the part after it. */
  readonly hubProviders?: Readonly<Record<string, ModelFactory>> | undefined;
  /** Hub models known without a request, for suggestions. */
  readonly knownHubModels?: (() => readonly string[]) | undefined;
  /** The hub's own list, for GET /v1/models. Never rejects: unreadable lists are left out. */
  readonly listHubModels?: (() => Promise<readonly string[]>) | undefined;
  readonly studio?: StudioProvider | undefined;
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly demo?: DemoProvider | undefined;
}

/** A model that `x-model-id` can select. */
export interface KnownModel {
  /** The value of `x-model-id`. */
  readonly id: string;
  readonly kind: "fine-tuned" | "hub" | "alias";
  /** The display name, if different from the id. */
  readonly name?: string;
}

/** Looks models up without calling one. An unreadable list counts as empty. */
interface KnownModels {
  /** UUIDs of the fine-tuned models with exactly this name. `failed`: the list could not be read. */
  findByName(name: string): Promise<{ ids: readonly string[]; failed: boolean }>;
  /** Up to five values for `x-model-id` that are similar to `value`. */
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

/** Suggests the name if the header can carry it, else the UUID. */
function toCandidate({ name, id }: StudioModel): ProviderCandidate {
  try {
    return parseModelId(name).kind === "name" ? { id: name } : { id, label: name };
  } catch {
    return { id, label: name };
  }
}

/** A possible suggestion: `id` is the value to send, `label` its display name, if different. */
interface ProviderCandidate {
  readonly id: string;
  readonly label?: string;
}

const longestCompared = 128;

/** Up to `limit` ids similar to `value`, nearest first, without duplicates. */
export function nearestIds(value: string, candidates: readonly ProviderCandidate[], limit = 5): string[] {
  const ranked = candidates
    .map((candidate) => ({ id: candidate.id, difference: differenceTo(value, candidate) }))
    .toSorted((left, right) => left.difference - right.difference);
  return [...new Set(ranked.map(({ id }) => id))].slice(0, limit);
}

/** 0 for equal to 1 for nothing in common. The part after the last slash is compared too, because users forget the provider. */
function differenceTo(value: string, { id, label = id }: ProviderCandidate): number {
  const parts = [id, label, id.slice(id.lastIndexOf("/") + 1)];
  return Math.min(...parts.map((part) => relativeDistance(fold(value), fold(part))));
}

function relativeDistance(left: string, right: string): number {
  const length = Math.max(left.length, right.length, 1);
  const shared = left.length > 2 && (right.includes(left) || left.includes(right)) ? 0.5 : 1;
  return (shared * levenshtein(left, right)) / length;
}

function fold(text: string): string {
  return text.slice(0, longestCompared).toLowerCase();
}
