import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { LangfuseSettings } from "../../settings/telemetry-settings.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { spanIdOf, traceIdOf } from "./run-ids.ts";
import type { SendJson } from "./send-json.ts";

/** What Langfuse takes at once. */
const scoresAtOnce = 100;

interface ScoreEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly type: "score-create";
  readonly body: object;
}

/**
 * Sends every score of a run to Langfuse. They belong to the trace and the calls that the otlp reporter sends: Langfuse
 * takes traces over OTLP, scores only by its own interface.
 */
export async function sendLangfuse(
  response: EvaluationResponse,
  { settings, send }: { settings: LangfuseSettings; send: SendJson },
): Promise<void> {
  const { baseUrl, publicKey, secretKey } = settings;
  const url = `${baseUrl.replace(/\/+$/, "")}/api/public/ingestion`;
  const key = Buffer.from(`${publicKey}:${secretKey.reveal()}`).toString("base64");
  const events = toScoreEvents(response);
  for (let start = 0; start < events.length; start += scoresAtOnce) {
    const batch = events.slice(start, start + scoresAtOnce);
    const answer = await send({ url, headers: { authorization: `Basic ${key}` }, body: { batch } });
    const refused = refusedIn(answer);
    if (refused === 0) continue;
    throw new CliError(`Langfuse refused ${refused} of ${batch.length} scores`, exitCodes.targetUnusable);
  }
}

/** The id of a score is made of its place, so that sending a run again replaces it instead of doubling it. */
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
          return { id, timestamp, type: "score-create", body: { ...score, ...(comment && { comment }) } };
        }),
      ),
    ),
  );
}

/** Langfuse answers 207 and lists what it did not take. */
function refusedIn(answer: string): number {
  try {
    const { errors } = JSON.parse(answer) as { errors?: readonly unknown[] };
    return errors?.length ?? 0;
  } catch {
    return 0;
  }
}
