// First, before anything names the classes it brings.
import "../../models/outbound/web-classes.ts";
import { listen, type Listening } from "../../services/http/listen.ts";
import { version } from "../version.ts";
import { agentService } from "./agent-service.ts";
import type { Core } from "./create-core.ts";
import type { Served } from "./served.ts";
import { createShellOptions } from "./shell-options.ts";

interface OwnAgent extends Listening, AsyncDisposable {
  /** Rejects as a turn of this model would, without a call. */
  checkModel(modelId: string): Promise<void>;
}

/** The agent backend for one command. It listens, since it is talked to and evaluated over HTTP; it asks for no key. */
export async function startOwnAgent(core: Core, served: Served): Promise<OwnAgent> {
  await using opened = new AsyncDisposableStack();
  const { server, http } = core.settings;
  const shell = opened.use(createShellOptions(core, { apiKeys: [] }));
  const { app, checkModel } = opened.use(await agentService(core, { shell: shell.options, served }));
  const agent = await listen({ host: server.host, port: server.agentPort, limits: http, log: core.log, version, app });
  opened.defer(() => agent.close(http.shutdownGraceMs));
  const started = opened.move();
  return { ...agent, checkModel, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
