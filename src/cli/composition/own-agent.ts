// Must be the first import: later modules refer to the classes it defines.
import "../../models/outbound/web-classes.ts";
import { listen, type Listening } from "../../services/http/listen.ts";
import { version } from "../terminal/version.ts";
import { createAgentService } from "./agent-service.ts";
import type { Core } from "./core.ts";
import { createHttpShell } from "./http-shell.ts";
import type { LocalServices } from "./local-services.ts";

interface OwnAgent extends Listening, AsyncDisposable {
  /** Rejects if the agent backend does not serve this model, without calling it. */
  checkModel(modelId: string): Promise<void>;
}

/** Starts an agent backend for one command. It listens because it is evaluated over HTTP, and requires no key. */
export async function startOwnAgent(core: Core, local: LocalServices): Promise<OwnAgent> {
  await using opened = new AsyncDisposableStack();
  const { server, http } = core.settings;
  const shell = opened.use(createHttpShell(core, { apiKeys: [] }));
  const { app, checkModel } = opened.use(await createAgentService(core, { shell: shell.options, local }));
  const agent = await listen({ host: server.host, port: server.agentPort, limits: http, log: core.log, version, app });
  opened.defer(() => agent.close(http.shutdownGraceMs));
  const started = opened.move();
  return { ...agent, checkModel, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
