import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { readTelemetrySettings } from "../../settings/telemetry-settings.ts";
import { CliError, exitCodes } from "../cli-error.ts";
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

const sendTimeoutMs = 60_000;

async function withSender(work: (send: SendJson) => Promise<void>): Promise<void> {
  const { createClients } = await import("../composition/clients.ts");
  const { settings } = await loadSettings({ overrides: unreachable });
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  await work(createJsonSender(clients.tools, AbortSignal.timeout(sendTimeoutMs)));
}

/** The receiver did not accept what was sent. */
export class DeliveryError extends CliError {
  /** True when sending it again later may succeed. */
  readonly retryable: boolean;

  constructor(url: string, { detail, retryable }: Pick<ReplyError, "detail" | "retryable">) {
    // The query may hold a key.
    super(`${url.replace(/\?.*/s, "")} did not accept the results: ${detail}`, exitCodes.targetUnusable);
    this.retryable = retryable;
  }
}

/** Sends JSON and returns the response text; throws a `DeliveryError` when it was not accepted. */
export type SendJson = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}) => Promise<string>;

/** Sends through the outbound client: no redirects, no forbidden addresses, a retry budget. */
export function createJsonSender(outbound: Outbound, signal: AbortSignal): SendJson {
  return async ({ url, headers, body }) => {
    const answer = await outbound.request({
      url,
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      policy: "local",
      signal,
    });
    if (answer.ok) return answer.body;
    throw new DeliveryError(url, answer.error);
  };
}
