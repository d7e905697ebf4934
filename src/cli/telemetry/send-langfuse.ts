import { compact } from "../../base/compact.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { LangfuseSettings } from "../../settings/telemetry-settings.ts";
import { CliError, exitCodes } from "../terminal/cli-error.ts";
import { spanIdOf, traceIdOf } from "./send-otlp.ts";
import type { SendJson } from "./json-sender.ts";

/** Langfuse's batch limit. */
const batchSize = 100;

interface ScoreEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly type: "score-create";
  readonly body: object;
}

/**
 * Sends every score of a run to Langfuse, attached to the trace that the otlp reporter sends: Langfuse accepts traces over
 * OTLP, but scores only over its own API.
 */
export async function sendLangfuse(
  response: EvaluationResponse,
  { settings, send }: { settings: LangfuseSettings; send: SendJson },
): Promise<void> {
  const { baseUrl, publicKey, secretKey } = settings;
  const url = `${baseUrl.replace(/(?<!\/)\/+$/, "")}/api/public/ingestion`;
  const key = Buffer.from(`${publicKey}:${secretKey.reveal()}`).toString("base64");
  const events = toScoreEvents(response);
  for (let start = 0; start < events.length; start += batchSize) {
    const batch = events.slice(start, start + batchSize);
    const answer = await send({ url, headers: { authorization: `Basic ${key}` }, body: { batch } });
    const refused = refusedIn(answer);
    if (refused === 0) continue;
    throw new CliError(`Langfuse refused ${refused} of ${batch.length} scores`, exitCodes.targetUnusable);
  }
}

/** A score's id is derived from its place, so that sending a run again replaces its scores. */
function toScoreEvents({ run_id, timing, results }: EvaluationResponse): ScoreEvent[] {
  const traceId = traceIdOf(run_id);
  const timestamp = timing.finished_at ?? timing.started_at ?? new Date(0).toISOString();
  return results.scenarios.flatMap(({ scenario_id, attempts }) =>
    attempts.flatMap(({ attempt, interactions }) =>
      interactions.flatMap((turn) =>
        Object.entries(turn.scores).map(([name, value]): ScoreEvent => {
          const id = `${traceId}-${spanIdOf(run_id, scenario_id, attempt, turn.id, name)}`;
          const observationId = spanIdOf(run_id, scenario_id, attempt, turn.id);
          const metadata = { scenario_id, attempt, interaction_id: turn.id };
          const score = { id, traceId, observationId, name, value, dataType: "NUMERIC", metadata };
          const comment = turn.score_reasons[name];
          return { id, timestamp, type: "score-create", body: compact({ ...score, comment: comment || undefined }) };
        }),
      ),
    ),
  );
}

/** The number of events in Langfuse's 207 response that it did not accept. */
function refusedIn(answer: string): number {
  try {
    const { errors } = JSON.parse(answer) as { errors?: readonly unknown[] };
    return errors?.length ?? 0;
  } catch {
    return 0;
  }
}
