import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { CliError } from "../terminal/cli-error.ts";
import { createJsonSender, type SendJson } from "../telemetry/json-sender.ts";
import { loadSettings, unreachable } from "../config/load-settings.ts";

/** Services that results can be sent to. */
export const destinations = ["otlp", "langfuse"] as const;
export type Destination = (typeof destinations)[number];

type SendResults = (response: EvaluationResponse) => Promise<void>;

/** Checks that a destination is configured, before anything runs. */
export function prepareSending(destination: Destination): SendResults {
  const { otlp, langfuse } = readTelemetrySettings(process.env);
  if (destination === "otlp") {
    if (!otlp) throw new CliError("OTLP is not set up: set OTEL_EXPORTER_OTLP_ENDPOINT to the collector's address");
    return async (response) => {
      const { sendOtlp } = await import("../telemetry/send-otlp.ts");
      await withSender((send) => sendOtlp(response, { settings: otlp, send }));
    };
  }
  if (!langfuse) throw new CliError("Langfuse is not set up: set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY");
  return async (response) => {
    const { sendLangfuse } = await import("../telemetry/send-langfuse.ts");
    await withSender((send) => sendLangfuse(response, { settings: langfuse, send }));
  };
}

const sendTimeoutMs = 60_000;

async function withSender(work: (send: SendJson) => Promise<void>): Promise<void> {
  const { createClients } = await import("../composition/clients.ts");
  const { settings } = await loadSettings({ overrides: unreachable });
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  await work(createJsonSender(clients.tools, AbortSignal.timeout(sendTimeoutMs)));
}
