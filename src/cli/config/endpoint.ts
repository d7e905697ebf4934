import { quoted } from "../../settings/settings-error.ts";
import { CliError } from "../cli-error.ts";

/** The word for Rehearsal's own agent backend, wherever it happens to listen. */
export const ownAgent = "agent";

/** Stands for its address where it is not started: on this machine, at a port where nothing listens. */
export const ownAgentStandIn = "http://127.0.0.1:1";

export const isEndpoint = (text: string): boolean =>
  text === ownAgent || /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** Refuses what is neither an address nor that word. */
export function checkEndpoint(endpoint: string): void {
  if (isEndpoint(endpoint)) return;
  throw new CliError(
    `the endpoint is ${quoted(endpoint)}: give an address like https://api.example.com/v1, or ${ownAgent}`,
  );
}
