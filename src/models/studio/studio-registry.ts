import { ServiceError } from "../../contract/errors/errors.ts";
import { studioListErrors, type StudioModels } from "../../contract/schemas/agent/models.ts";
import { createLastKnown, type LastKnownOptions } from "../../base/last-known.ts";
import { canonicalUuid, isUuid } from "../routing/model-id.ts";

export interface StudioList {
  /** Name → UUID, without a prototype: a model may be named `__proto__`. */
  readonly models: StudioModels;
  /** True when the source failed and this is the last known list. */
  readonly stale: boolean;
}

/** The fine-tuned models as last listed. Every method rejects with an `upstream_*` ServiceError when no list is known. */
export interface StudioRegistry {
  list(): Promise<StudioList>;
  /** Every model with that name or that key in `list`. */
  findByName(name: string): Promise<readonly StudioModel[]>;
  findById(id: string): Promise<StudioModel | null>;
}

interface StudioRegistryOptions extends Pick<LastKnownOptions<unknown>, "timeoutMs" | "clock"> {
  readonly source: StudioSource;
}

export function createStudioRegistry({ source, ...options }: StudioRegistryOptions): StudioRegistry {
  const lastKnown = createLastKnown({
    ...options,
    load: async (signal) => {
      const listed = await source.list(signal);
      // A provider may list base models too; without a UUID no x-model-id can select them.
      return nameModels(listed.filter(({ id }) => isUuid(id)));
    },
  });
  const current = () => lastKnown().catch((error: unknown) => Promise.reject(toUpstreamError(error)));

  return {
    async list() {
      const { value: named, stale } = await current();
      const models: StudioModels = Object.create(null) as StudioModels;
      for (const [key, { id }] of named) models[key] = id;
      return { models, stale };
    },
    async findByName(name) {
      const { value: named } = await current();
      return [...named].filter(([key, model]) => key === name || model.name === name).map(([, model]) => model);
    },
    async findById(id) {
      const { value: named } = await current();
      return named.values().find((model) => canonicalUuid(model.id) === canonicalUuid(id)) ?? null;
    },
  };
}

function toUpstreamError(error: unknown): ServiceError {
  if (error instanceof ServiceError && studioListErrors.includes(error.code)) return error;
  return new ServiceError("upstream_error", "The list of fine-tuned models could not be read, and none is cached", {
    cause: error,
    hint: "Check STUDIO_BASE_URL, STUDIO_API_KEY or STUDIO_MODELS_FILE, then try again.",
  });
}

const shortestSuffix = 8;

/** Gives every model a unique key: its name or, if taken, the name and the start of its UUID. */
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
    // After the whole UUID only a deliberate collision is left; an apostrophe always ends the search.
    key = length <= uuid.length ? `${name}-${uuid.slice(0, length)}` : `${key}'`;
  }
  return key;
}

/** One fine-tuned model: its display name and the UUID that selects it. */
export interface StudioModel {
  readonly name: string;
  readonly id: string;
  /** The address of this model, if not STUDIO_BASE_URL. */
  readonly base_url?: string | undefined;
  /** Its name at the server, if not the UUID. */
  readonly model?: string | undefined;
}

/** The source of the list: a provider's model list, a models file or the demo. */
export interface StudioSource {
  list(signal: AbortSignal): Promise<readonly StudioModel[]>;
}
