import type { ClientOptions } from "../../client/client-options.ts";
import { CliError } from "../cli-error.ts";
import { loadEnvironment } from "../parts/load-settings.ts";
import { openSession } from "../sources/open-session.ts";
import type { AgentOptions } from "./agent-options.ts";

/** An agent backend to talk to: another process's, or one that lives as long as the command. */
export async function openAgent({ agent, envFile }: AgentOptions): Promise<ClientOptions & AsyncDisposable> {
  loadEnvironment(envFile);
  const address = agent ?? (process.env["REHEARSAL_AGENT"] || undefined);
  if (address !== undefined) {
    if (!URL.canParse(address))
      throw new CliError(`--agent is "${address}": use an address like http://127.0.0.1:8000`);
    return { url: address, apiKey: process.env["REHEARSAL_API_KEY"], async [Symbol.asyncDispose]() {} };
  }
  const session = await openSession({ inProcess: true, ...(envFile && { envFile }) });
  return { url: session.agent ?? "", [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}
