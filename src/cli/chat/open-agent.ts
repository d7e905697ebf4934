import type { ClientOptions } from "../../client/client-options.ts";
import { readClientSettings } from "../../settings/client-settings.ts";
import { loadEnvironment } from "../parts/load-settings.ts";
import { checkAddress } from "../sources/check-address.ts";
import { openOwnServices } from "../sources/open-session.ts";
import type { AgentOptions } from "./agent-options.ts";

/** An agent backend to talk to: another process's, or one that lives as long as the command. */
export async function openAgent(
  { agent, envFile }: AgentOptions,
  { onlyLooks = false }: { onlyLooks?: boolean } = {},
): Promise<ClientOptions & AsyncDisposable> {
  loadEnvironment(envFile);
  const settings = readClientSettings(process.env);
  const address = agent ?? settings.agent;
  if (address !== null) {
    checkAddress("--agent", address, "an address like http://127.0.0.1:8000");
    return { url: address, apiKey: settings.apiKey?.reveal(), async [Symbol.asyncDispose]() {} };
  }
  const services = await openOwnServices({ ...(envFile && { envFile }), onlyLooks }, { runs: null, agent: true });
  return { url: services.agent ?? "", [Symbol.asyncDispose]: () => services[Symbol.asyncDispose]() };
}
