import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { CliError } from "../cli-error.ts";
import { loadSettings, reachedByNobody } from "../parts/load-settings.ts";
import type { SendJson } from "./send-json.ts";

/** Where results can be sent. */
export const destinations = ["otlp", "langfuse"] as const;
export type Destination = (typeof destinations)[number];

type SendResults = (response: EvaluationResponse) => Promise<void>;

/** Finds out before anything is run whether a destination is set up. */
export function prepareSending(destination: Destination): SendResults {
  const { otlp, langfuse } = readTelemetrySettings(process.env);
  if (destination === "otlp") {
    if (!otlp) throw new CliError("where to? Set OTEL_EXPORTER_OTLP_ENDPOINT to the collector's address");
    return async (response) => {
      const { sendOtlp } = await import("./send-otlp.ts");
      await withSender((send) => sendOtlp(response, { settings: otlp, send }));
    };
  }
  if (!langfuse) throw new CliError("Langfuse is not set up: set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY");
  return async (response) => {
    const { sendLangfuse } = await import("./send-langfuse.ts");
    await withSender((send) => sendLangfuse(response, { settings: langfuse, send }));
  };
}

const patienceMs = 60_000;

async function withSender(work: (send: SendJson) => Promise<void>): Promise<void> {
  const { createClients } = await import("../parts/create-clients.ts");
  const { jsonSender } = await import("./send-json.ts");
  const { settings } = loadSettings({ overrides: reachedByNobody });
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  await work(jsonSender(clients.tools, AbortSignal.timeout(patienceMs)));
}
