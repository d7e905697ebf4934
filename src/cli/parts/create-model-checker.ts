import { createDemo } from "../../models/demo/demo-models.ts";
import { createRouter } from "../../models/routing/router.ts";
import type { Settings } from "../../settings.ts";
import { createClients } from "./create-clients.ts";
import { createProviders } from "./create-providers.ts";
import { readHubProviders } from "./read-hub-providers.ts";
import type { StartedSession } from "./start-session.ts";

/** Knows which models our own agent backend would serve, without starting it. A name may need the list of fine-tuned models. */
export function createModelChecker(settings: Settings): Pick<StartedSession, "checkModel"> & AsyncDisposable {
  const hubProviders = readHubProviders(settings.hubProviders);
  const clients = createClients(settings, { isOwnAddress: () => false, hubProviders });
  const demo = settings.demo ? createDemo() : null;
  const providers = createProviders({ settings, hubProviders, outbound: clients.agent, demo });
  const router = createRouter(providers, { longestId: settings.limits.modelIdChars });
  return {
    checkModel: async (modelId) => void (await router.route(modelId)),
    [Symbol.asyncDispose]: () => clients[Symbol.asyncDispose](),
  };
}
