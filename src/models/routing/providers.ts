import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { StudioRegistry } from "../studio/studio-registry.ts";

/** Makes the model that a provider calls `upstreamModel`. */
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

/** Everyone who may serve a model. What is absent is not configured. */
export interface Providers {
  /** Serves every `<provider>/<model_name>` that has no provider of its own; gets the whole value. */
  readonly hub?: ModelFactory | undefined;
  /** Providers by the name before the slash; each gets what follows it. */
  readonly hubProviders?: Readonly<Record<string, ModelFactory>> | undefined;
  /** Hub models known without asking anyone: for suggestions. */
  readonly knownHubModels?: (() => readonly string[]) | undefined;
  /** The hub's own list, for GET /v1/models. Never rejects: what cannot be read is left out. */
  readonly listHubModels?: (() => Promise<readonly string[]>) | undefined;
  readonly studio?: StudioProvider | undefined;
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly demo?: DemoProvider | undefined;
}
