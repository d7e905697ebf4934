import { createDemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import { createDemo, demoStudioIds } from "../../models/demo/demo-models.ts";
import { detectLocalServers } from "../../models/local-servers/detect-local-servers.ts";
import { createRouter } from "../../models/routing/choose-provider.ts";
import { createRouteLimits } from "../../models/routing/route-limits.ts";
import { readModelsFile } from "../../models/studio/models-file.ts";
import { createScenarioLibrary } from "../../runs/scenario-library.ts";
import { createAgentApp } from "../../services/agent/app.ts";
import { createUnderWay } from "../../services/agent/turns/under-way.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import { version } from "../version.ts";
import { agentLimits } from "./agent-limits.ts";
import { agentPrices } from "./agent-prices.ts";
import { configuredProviders } from "./configured-providers.ts";
import type { Core } from "./create-core.ts";
import { createProviders, studioLister } from "./create-providers.ts";
import { createTools } from "./create-tools.ts";
import { createTracing } from "./create-tracing.ts";
import { evaluationAddress } from "./page-addresses.ts";
import { pageLimits } from "./page-limits.ts";
import { pageFolder } from "./page-folder.ts";
import { readRunner } from "./read-runner.ts";
import type { Served } from "./served.ts";
import type { ShellOptions } from "./shell-options.ts";

/** The agent backend with its tools, its models and the page, ready to be listened for. */
export async function agentService(
  { settings, hubProviders, storage, clients, log }: Core,
  { shell, served }: { shell: ShellOptions; served: Served },
) {
  const { limits, server, concurrency } = settings;
  // What was opened is closed again when a later part cannot start.
  await using opened = new AsyncDisposableStack();
  const demo = settings.demo ? createDemo() : null;
  served.demo = demo;
  const price = await agentPrices(settings, hubProviders);
  await checkModelsFile(settings.studio?.modelsFile ?? null);
  const runner = await readRunner(settings.agent.runner);
  const tracing = opened.use(createTracing({ outbound: clients.tools, log }));
  const toolset = opened.use(await createTools(settings.agent, { outbound: clients.tools, log }));
  const providers = createProviders({ settings, hubProviders, outbound: clients.agent, demo });
  const routeLimits = createRouteLimits({ concurrency: concurrency.perOrigin });
  const underWay = createUnderWay();
  const router = createRouter(providers, { limits: routeLimits, longestId: limits.modelIdChars });

  const app = createAgentApp({
    ...shell,
    router,
    routeLimits,
    breakers: () => clients.agent.breakers(),
    providers: configuredProviders(settings, hubProviders),
    findLocalServers: (signal) =>
      detectLocalServers({
        outbound: clients.agent,
        signal,
        policy: "local",
        ownPorts: [served.agent, served.evaluation].flatMap((service) => service?.port ?? []),
      }),
    listStudioModels: studioLister(providers),
    tools: () => toolset.tools(),
    runner,
    observers: tracing.observers,
    underWay,
    memory: storage.agent,
    library: createScenarioLibrary(storage.library),
    price,
    limits: agentLimits(settings.agent),
    maxMessages: limits.messages,
    patienceMs: 5_000,
    demo: demo && createDemoEndpoint(demo),
    page: {
      folder: pageFolder,
      config: (host) => ({
        evaluation: evaluationAddress(host, served, server),
        version,
        demo: settings.demo,
        demo_models: demoStudioIds,
        hub_models: Object.keys(demo?.hub ?? {}),
        limits: pageLimits(settings),
      }),
    },
    bodyLimits: { ...shell.bodyLimits, bytes: limits.agentBodyBytes },
    allowedOrigins: () => server.corsOrigins,
  });
  const started = opened.move();
  return {
    app,
    turns: underWay,
    /** Rejects as a turn of this model would, without a call. */
    checkModel: async (modelId: string): Promise<void> => void (await router.route(modelId)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** The file is read again whenever the list of models is asked for. What is wrong with it from the beginning stops the start. */
async function checkModelsFile(path: string | null): Promise<void> {
  if (path === null) return;
  await readModelsFile(path).catch((cause: Error) => {
    throw new SettingsError("STUDIO_MODELS_FILE", cause.message, { cause });
  });
}
