import { ServiceError } from "../../contract/errors/errors.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { StudioModel } from "../studio/studio-registry.ts";
import { bothForms, canonicalUuid, checkAliases, parseModelId, type ParsedModelId } from "./model-id.ts";
import { createKnownModels, type KnownModel, type Providers } from "./providers.ts";
import type { RouteLimits } from "./route-limits.ts";

/** The model that answers, with the values of its response headers. */
export interface RoutedModel {
  readonly model: ChatModel;
  /** For `x-model-resolved`: the UUID or `<provider>/<model_name>` that was run. */
  readonly resolved: string;
  readonly provider: "hub" | "fine-tuned" | "demo";
  readonly upstreamModel: string;
}

export interface Router {
  /** Routes a header value. Rejects with `model_id_missing`, `model_id_invalid` or `model_not_found`; calls no model. */
  route(value: string | null | undefined): Promise<RoutedModel>;
  /** Checks only the form of the value: throws the error that `route` would reject with, without any request. */
  check(value: string | null | undefined): void;
  /** Every known model. Unreadable lists are left out. */
  list(): Promise<readonly KnownModel[]>;
}

type HubId = Extract<ParsedModelId, { kind: "hub" }>;

/** Chooses the provider of an `x-model-id`. Throws at once when an alias has the form of a UUID or a hub id. */
export function createRouter(
  providers: Providers,
  { limits, longestId }: { limits?: RouteLimits | undefined; longestId?: number | undefined } = {},
): Router {
  const { hub, studio, demo } = providers;
  const aliases = checkAliases(providers.aliases ?? {});
  const hubProviders = new Map(Object.entries(providers.hubProviders ?? {}));
  const demoHub = new Map(Object.entries(demo?.hub ?? {}));
  const demoStudio = new Map(Object.values(demo?.studio ?? {}).map(({ id, model }) => [canonicalUuid(id), model]));
  const known = createKnownModels(providers);

  const parse = (value: string | null | undefined) => parseModelId(value, { longest: longestId });

  async function route(value: string | null | undefined): Promise<RoutedModel> {
    const routed = await find(value);
    return limits ? { ...routed, model: limits.wrap(routed.resolved, routed.model) } : routed;
  }

  async function find(value: string | null | undefined): Promise<RoutedModel> {
    const id = parse(value);
    if (id.kind === "fine-tuned") return routeFineTuned(id.id);
    if (id.kind === "hub") return routeHub(id);
    return routeName(id.name);
  }

  async function routeHub({ id, provider, model }: HubId): Promise<RoutedModel> {
    const own = hubProviders.get(provider);
    if (own) return { model: own(model), resolved: id, provider: "hub", upstreamModel: model };
    const builtIn = demoHub.get(id);
    if (builtIn) return { model: builtIn, resolved: id, provider: "demo", upstreamModel: id };
    if (hub) return { model: hub(id), resolved: id, provider: "hub", upstreamModel: id };

    const names = [...new Set([...hubProviders.keys(), ...demoHub.keys().map((key) => key.split("/")[0])])];
    const configured = names.length > 0 ? `the providers here are ${names.join(", ")}` : "no hub is configured";
    const detail = names.includes(provider) ? `"${provider}" has no such model` : configured;
    throw new ServiceError("model_not_found", `No provider serves "${id}": ${detail}`, {
      hint: "Pick a model from GET /v1/models, or set HUB_BASE_URL and HUB_API_KEY to use the models of a hub.",
      suggestions: await known.suggest(id),
    });
  }

  async function routeFineTuned(id: string): Promise<RoutedModel> {
    const builtIn = demoStudio.get(canonicalUuid(id));
    if (builtIn) return { model: builtIn, resolved: id, provider: "demo", upstreamModel: id };

    const entry = studio?.fromFile ? await studio.registry.findById(id) : null;
    const own = entry?.base_url === undefined ? undefined : studio?.createAt?.(entry.base_url);
    // Without STUDIO_BASE_URL only listed models can be served; with it the provider decides.
    const create = own ?? studio?.create;
    if (!create) throw entry ? unservedModel(entry) : await unknownFineTunedModel(id);

    const upstreamModel = entry?.model ?? id;
    return { model: create(upstreamModel), resolved: id, provider: "fine-tuned", upstreamModel };
  }

  async function routeName(name: string): Promise<RoutedModel> {
    const alias = aliases.get(name);
    if (alias !== undefined) return find(alias);

    const { ids, failed } = await known.findByName(name);
    const [id, ...others] = ids;
    if (id !== undefined && others.length === 0) return routeFineTuned(id);
    if (id !== undefined) {
      throw new ServiceError("model_id_invalid", `${ids.length} fine-tuned models are called "${name}"; send a UUID`, {
        suggestions: ids.slice(0, 5),
      });
    }
    const unread = failed ? " (the list of fine-tuned models could not be read just now)" : "";
    throw new ServiceError("model_id_invalid", `x-model-id "${name}" names no model${unread}; send ${bothForms}`, {
      suggestions: await known.suggest(name),
    });
  }

  async function unknownFineTunedModel(id: string): Promise<ServiceError> {
    const reason = studio || demo ? "GET /studio/models does not list it" : "no fine-tuned provider is configured";
    return new ServiceError("model_not_found", `There is no fine-tuned model "${id}": ${reason}`, {
      hint: "Pick a UUID from GET /studio/models, or set STUDIO_BASE_URL or STUDIO_MODELS_FILE.",
      suggestions: await known.suggestFineTuned(id),
    });
  }

  return { route, check: parse, list: known.list };
}

function unservedModel({ name }: StudioModel): ServiceError {
  return new ServiceError("model_not_found", `The models file does not say where "${name}" is served`, {
    hint: "Give its entry a base_url, or set STUDIO_BASE_URL.",
  });
}
