import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { OtlpSettings } from "../../settings/telemetry-settings.ts";
import { version } from "../version.ts";
import { nanoseconds, toAttributes, type OtlpAttribute } from "./otlp-values.ts";
import { toSpans, type SpannedTurn } from "./run-spans.ts";
import type { SendJson } from "./send-json.ts";

/** Collectors take some megabytes at once. */
const recordsAtOnce = 500;

/** Sends a run as spans, and its scores as events, over OTLP/HTTP in JSON. */
export async function sendOtlp(
  response: EvaluationResponse,
  { settings, send }: { settings: OtlpSettings; send: SendJson },
): Promise<void> {
  const { traces, logs, captureContent } = settings;
  const { traceId, spans, turns } = toSpans(response, { captureContent });
  const events = toScoreEvents(turns, { traceId, captureContent });
  const resource = { attributes: toAttributes({ "service.version": version, ...settings.resource }) };
  const scope = { name: "rehearsal", version };
  const headers = Object.fromEntries(Object.entries(settings.headers).map(([name, value]) => [name, value.reveal()]));

  for (const part of inParts(traces === null ? [] : spans)) {
    const body = { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: part }] }] };
    await send({ url: traces ?? "", headers, body });
  }
  for (const part of inParts(logs === null ? [] : events)) {
    const body = { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: part }] }] };
    await send({ url: logs ?? "", headers, body });
  }
}

function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += recordsAtOnce) yield items.slice(start, start + recordsAtOnce);
}

/** A log record in OTLP's JSON form; with an event name it is an event. */
interface OtlpEvent {
  readonly timeUnixNano: string;
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** A `gen_ai.evaluation.result` event for every score of every turn, beside the call it judges. */
function toScoreEvents(
  turns: readonly SpannedTurn[],
  { traceId, captureContent }: { traceId: string; captureContent: boolean },
): OtlpEvent[] {
  return turns.flatMap(({ turn, spanId, endMs }) =>
    Object.entries(turn.scores).map(([name, value]) => ({
      timeUnixNano: nanoseconds(endMs),
      eventName: "gen_ai.evaluation.result",
      traceId,
      spanId,
      attributes: toAttributes({
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": value,
        // Reasons quote the reply.
        "gen_ai.evaluation.explanation": captureContent ? turn.score_reasons[name] : null,
        "error.type": turn.error?.code,
      }),
    })),
  );
}
