import { createEvaluationClient, type EvaluationClient } from "../../client/create-evaluation-client.ts";
import { readClientSettings } from "../../settings/client-settings.ts";
import { checkAddress } from "./check-address.ts";
import type { RunSource } from "./run-source.ts";

/** The evaluation service a command was pointed at, with the key from REHEARSAL_API_KEY. */
export function serverClient(server: string): EvaluationClient {
  checkAddress("--server", server, "the address of an evaluation service, like http://127.0.0.1:8001");
  return createEvaluationClient({ url: server, apiKey: readClientSettings(process.env).apiKey?.reveal() });
}

export function openServerSource(server: string): RunSource {
  return { ...serverClient(server), async [Symbol.asyncDispose]() {} };
}
