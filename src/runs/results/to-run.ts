import { compact } from "../../base/compact.ts";
import { redactEndpoint } from "../../base/secret.ts";
import type { RunPage, RunRecord } from "../../contract/ports/store.ts";
import type { Warning } from "../../contract/errors/problem.ts";
import { finalStates, type Run, type RunList } from "../../contract/schemas/run.ts";
import { shortList } from "../../base/format.ts";
import { spanSettings } from "../../contract/schemas/acting/target.ts";
import { unseenCallsWarning } from "../plan/warnings.ts";
import { plannedPasses } from "../stored/passes.ts";

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** The public view of a stored run. */
export function toRun(record: RunRecord): Run {
  const warnings = warningsOf(record);
  return compact({
    run_id: record.id,
    test_name: record.settings.test_name,
    endpoint: redactEndpoint(record.settings.endpoint),
    model_id: record.settings.model_id,
    state: record.state,
    interrupted: record.interrupted,
    message: record.message === "" ? stateMessage(record) : record.message,
    demo: record.demo,
    tags: record.settings.tags.length > 0 ? record.settings.tags : undefined,
    metadata: Object.keys(record.settings.metadata).length > 0 ? record.settings.metadata : undefined,
    priority: record.priority || undefined,
    created_at: new Date(record.created_at).toISOString(),
    started_at: iso(record.started_at),
    finished_at: iso(record.finished_at),
    progress: toProgress(record),
    summary: record.summary,
    warnings: warnings.length > 0 ? warnings : undefined,
    ...sequenceOf(record),
    experiment: record.settings.experiment,
  });
}

/** The public view of a page of runs. */
export function toRunList({ runs, next_cursor }: RunPage): RunList {
  return { runs: runs.map(toRun), next_cursor };
}

/** The warnings of the request, and those of its execution. */
export function warningsOf({
  warnings,
  late_calls: late,
  summary,
  ...record
}: Pick<
  RunRecord,
  "warnings" | "late_calls" | "summary" | "spans_seen" | "late_spans" | "settings" | "state"
>): Warning[] {
  const calls = late === 1 ? "1 tool call was" : `${late} tool calls were`;
  const message = `${calls} refused, because the agent made them after its reply or after the end of the attempt`;
  return [
    ...warnings,
    ...(late === 0 ? [] : [{ pointer: "/world_address", message }]),
    ...spanWarnings(record),
    ...undecidedWarning(summary, warnings),
    ...writtenCallsWarning(summary),
  ];
}

/** Spans that never came, or too late. */
function spanWarnings({
  settings,
  state,
  spans_seen: seen,
  late_spans: late,
}: Pick<RunRecord, "settings" | "state" | "spans_seen" | "late_spans">): Warning[] {
  const where = "See docs/spans.md";
  if (spanSettings(settings).areDeclared && !seen && finalStates.has(state)) {
    const message = `is set, but no spans came: what the agent called is unknown. It has to send them (OTEL_EXPORTER_OTLP_ENDPOINT) and to continue the trace of its request. ${where}`;
    return [{ pointer: "/spans", message }];
  }
  if (late === 0) return [];
  const count = late === 1 ? "1 span" : `${late} spans`;
  const message = `${count} of the agent came after the attempt was scored and ${late === 1 ? "is" : "are"} missing: set spans: true, so that turns wait, or a shorter OTEL_BSP_SCHEDULE_DELAY at the agent. ${where}`;
  return [{ pointer: "/spans_wait_ms", message }];
}

function writtenCallsWarning(summary: RunRecord["summary"]): Warning[] {
  const count = summary?.written_calls ?? 0;
  if (count === 0) return [];
  const replies = count === 1 ? "1 reply looks" : `${count} replies look`;
  const message = `${replies} like a tool call written as text, which counts as no call: set tool_support: prompted (in rehearsal.yaml or in the request) to have such calls read and carried out`;
  return [{ pointer: "/tool_support", message }];
}

/** Left out when the request was warned that its endpoint shows no tool calls. */
function undecidedWarning(summary: RunRecord["summary"], warnings: readonly Warning[]): Warning[] {
  const open = Object.entries(summary?.undecided_scores ?? {});
  if (open.length === 0 || warnings.some(({ message }) => message.startsWith(unseenCallsWarning))) return [];
  const attempts = Math.max(...open.map(([, count]) => count));
  const names = shortList(open.map(([name]) => name));
  const where = attempts === 1 ? "1 attempt" : `up to ${attempts} attempts`;
  const message = `${unseenCallsWarning}, or with their arguments: ${names} undecided in ${where}. See docs/targets.md, "Tool calls that are seen"`;
  return [{ pointer: "/endpoint", message }];
}

function stateMessage(record: RunRecord): string {
  const { id, state, interrupted } = record;
  const progress = toProgress(record);
  const noun = progress.interactions_total === 1 ? "interaction" : "interactions";
  const done = `${progress.interactions_done} of ${progress.interactions_total} ${noun} done`;
  if (interrupted)
    return (
      `${done}. This run was interrupted. ` +
      `Resume it with \`rehearsal eval --resume ${id}\`, or end it with \`rehearsal runs cancel ${id}\`.`
    );
  if (state === "queued") return "Waiting for a worker";
  return done;
}

/**
 * The progress of a run over all planned passes. Turns of a replay are not counted; earlier versions stored them in the count.
 */
export function toProgress({ progress, settings }: Pick<RunRecord, "progress" | "settings">): Run["progress"] {
  const interactions_total = progress.interactions_total * plannedPasses(settings);
  return {
    ...progress,
    interactions_total,
    interactions_done: Math.min(progress.interactions_done, interactions_total),
  };
}

function sequenceOf({ settings: { sequence } }: RunRecord): Pick<Run, "sequence"> {
  if (!sequence) return {};
  return { sequence: { side: sequence.side, opponent: sequence.opponent ?? sequence.against.run ?? null } };
}
