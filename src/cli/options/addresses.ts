import { createServer } from "node:net";
import { quoted } from "../../settings/settings-error.ts";
import { CliError } from "../terminal/cli-error.ts";

/** Names Rehearsal's own agent backend instead of an address, whichever port it listens on. */
export const ownAgent = "agent";

/** Used as the agent backend's address while it is not started: on this machine, at a port where nothing listens. */
export const ownAgentPlaceholder = "http://127.0.0.1:1";

export const isEndpoint = (text: string): boolean =>
  text === ownAgent || /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** Refuses a value that is neither an http(s) address nor `agent`. */
export function requireEndpoint(endpoint: string): void {
  if (isEndpoint(endpoint)) return;
  throw new CliError(
    `the endpoint is ${quoted(endpoint)}: give an address like https://api.example.com/v1, or ${ownAgent}`,
  );
}

/** Refuses a value of `--server` or `--agent` that is not an http(s) address without credentials. */
export function requireServiceAddress(option: "--server" | "--agent", address: string, example: string): void {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new CliError(`${option} is ${quoted(address)}: use ${example}`);
  if (url.username === "" && url.password === "") return;
  // fetch refuses such an address, which would look like a service that does not answer.
  throw new CliError(`${option} is ${quoted(address)}: leave out the user info and set REHEARSAL_API_KEY instead`);
}

/** Whether a server could listen there now. */
export async function portIsFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  probe.once("error", () => resolve(false));
  probe.listen({ host, port }, () => probe.close(() => resolve(true)));
  return promise;
}
