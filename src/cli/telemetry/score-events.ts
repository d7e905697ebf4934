import { nanoseconds, toAttributes, type OtlpAttribute } from "./otlp-values.ts";
import type { SpannedTurn } from "./run-spans.ts";

/** A log record in OTLP's JSON form; with an event name it is an event. */
interface OtlpEvent {
  readonly timeUnixNano: string;
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: readonly OtlpAttribute[];
}

/** A `gen_ai.evaluation.result` event for every score of every turn, beside the call it judges. */
export function toScoreEvents(
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
