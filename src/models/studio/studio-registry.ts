import { ServiceError } from "../../contract/service-error.ts";
import { studioListErrors, type StudioModels } from "../../contract/studio-models.ts";
import { withinDeadline } from "../within-deadline.ts";
import { nameModels } from "./name-models.ts";
import type { StudioModel, StudioSource } from "./studio-model.ts";
import { canonicalUuid, isUuid } from "./uuid.ts";

export interface StudioList {
  /** Name → UUID, without a prototype: a model may be called `__proto__`. */
  readonly models: StudioModels;
  /** True when the source failed and this is what it said before. */
  readonly stale: boolean;
}

/** The fine-tuned models as last listed. Every method rejects with an `upstream_*` ServiceError when nothing is known. */
export interface StudioRegistry {
  list(): Promise<StudioList>;
  /** Every model of that name; the key that `list` shows for it counts as its name too. */
  findByName(name: string): Promise<readonly StudioModel[]>;
  findById(id: string): Promise<StudioModel | null>;
}

export interface StudioRegistryOptions {
  readonly source: StudioSource;
  readonly ttlMs?: number;
  /** How long a stale list is served before a failed source is asked again. */
  readonly retryMs?: number;
  readonly timeoutMs?: number;
  /** Milliseconds that never run backwards. */
  readonly clock?: () => number;
}

interface Known {
  readonly named: ReadonlyMap<string, StudioModel>;
  readonly stale: boolean;
  readonly expires: number;
}

/** Asks the source at most once per `ttlMs`, one refresh at a time, and keeps the last list when the source fails. */
export function createStudioRegistry({
  source,
  ttlMs = 30_000,
  retryMs = 5_000,
  timeoutMs = 10_000,
  clock = () => performance.now(),
}: StudioRegistryOptions): StudioRegistry {
  let known: Known | null = null;
  let refreshing: Promise<Known> | null = null;

  async function refresh(): Promise<Known> {
    try {
      const listed = await withinDeadline("The list of fine-tuned models", timeoutMs, (signal) => source.list(signal));
      // A provider may list base models too; without a UUID no x-model-id could select them here.
      const named = nameModels(listed.filter(({ id }) => isUuid(id)));
      return { named, stale: false, expires: clock() + ttlMs };
    } catch (error) {
      if (!known) throw toUpstreamError(error);
      return { ...known, stale: true, expires: clock() + retryMs };
    }
  }

  async function current(): Promise<Known> {
    if (known && clock() < known.expires) return known;
    refreshing ??= refresh().finally(() => {
      refreshing = null;
    });
    known = await refreshing;
    return known;
  }

  return {
    async list() {
      const { named, stale } = await current();
      const models: StudioModels = Object.create(null) as StudioModels;
      for (const [key, { id }] of named) models[key] = id;
      return { models, stale };
    },
    async findByName(name) {
      const { named } = await current();
      return [...named].filter(([key, model]) => key === name || model.name === name).map(([, model]) => model);
    },
    async findById(id) {
      const { named } = await current();
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
