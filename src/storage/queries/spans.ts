import { sql } from "kysely";
import {
  spanLimits,
  type ReceivedSpan,
  type SpanEvent,
  type SpanPart,
  type SpanStore,
  type TracedRun,
} from "../../contract/ports/spans.ts";
import type { Database, Reader, Writer } from "../tables/database.ts";
import { fromJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";
import { ready, running } from "./conditions.ts";

interface SpanStoreOptions {
  readonly reader: Reader;
  readonly write: Database["write"];
  readonly now: () => number;
}

export function createSpanStore({ reader, write, now }: SpanStoreOptions): SpanStore {
  return {
    runOf: (prefix) => findTracedRun(reader, prefix),
    async isUnderWay(attemptId) {
      const row = await underWay(reader).where("id", "=", attemptId).select("id").executeTakeFirst();
      return row !== undefined;
    },
    add: (trace, parts) => write((writer) => addSpans(writer, trace, { parts, now: now() })),
    async addLate(runId, count) {
      await write((writer) =>
        writer
          .updateTable("run")
          .where("id", "=", runId)
          .set((row) => ({ late_spans: row("late_spans", "+", count) }))
          .execute(),
      );
    },
    async areSeen(runId) {
      const row = await reader.selectFrom("run").where("id", "=", runId).select("spans_seen").executeTakeFirst();
      return row?.spans_seen === 1;
    },
    async count(runId, traceId) {
      return (await heldBy(reader, { run_id: runId, trace_id: traceId })).spans;
    },
    ofTrace: (runId, traceId) => readTrace(reader, { run_id: runId, trace_id: traceId }),
  };
}

/** Attempts that have begun and not ended. One whose worker died is ready again, and has been tried. */
function underWay(reader: Reader) {
  return reader
    .selectFrom("attempt")
    .where((is) => is.or([is("state", "=", running), is.and([is("state", "=", ready), is("tries", ">", 0)])]));
}

async function findTracedRun(reader: Reader, prefix: string): Promise<TracedRun | null> {
  if (!isPlainId(prefix)) return null;
  const run = await reader
    .selectFrom("run")
    .where("trace_prefix", "=", prefix)
    .where("removed", "=", 0)
    .select(["id", "trace_secret"])
    .executeTakeFirst();
  if (!run || run.trace_secret === null) return null;
  const attempts = await underWay(reader)
    .where("run_id", "=", run.id)
    .select(["id", "scenario_index", "attempt"])
    .execute();
  return { run_id: run.id, key: { prefix, secret: run.trace_secret }, underWay: attempts };
}

interface Trace {
  readonly run_id: string;
  readonly trace_id: string;
}

/** Rows of one statement. */
const rowsAtOnce = 100;

async function addSpans(
  writer: Writer,
  trace: Trace,
  { parts, now }: { parts: readonly SpanPart[]; now: number },
): Promise<number> {
  const held = await heldBy(writer, trace);
  const rows = [];
  for (const { part, ...rest } of parts) {
    const [span_id, content] = "span" in rest ? [rest.span.id, rest.span] : [rest.of, rest.event];
    const span = toJsonText(content);
    held.spans += 1;
    held.characters += span.length;
    if (held.spans > spanLimits.spans || held.characters > spanLimits.characters) break;
    rows.push({ ...trace, span_id, part, size: span.length, received_at: now, span });
  }
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await writer
      .insertInto("run_span")
      .values(rows.slice(start, start + rowsAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (rows.length > 0) {
    // Only the first spans change the row of the run, which can be large.
    await writer
      .updateTable("run")
      .where("id", "=", trace.run_id)
      .where("spans_seen", "=", 0)
      .set({ spans_seen: 1 })
      .execute();
  }
  return parts.length - rows.length;
}

async function heldBy(reader: Reader | Writer, { run_id, trace_id }: Trace) {
  const row = await reader
    .selectFrom("run_span")
    .where("run_id", "=", run_id)
    .where("trace_id", "=", trace_id)
    .select(({ fn }) => [fn.countAll().as("spans"), fn.sum("size").as("characters")])
    .executeTakeFirst();
  return { spans: Number(row?.spans ?? 0), characters: Number(row?.characters ?? 0) };
}

async function readTrace(reader: Reader, { run_id, trace_id }: Trace): Promise<readonly ReceivedSpan[]> {
  const rows = await reader
    .selectFrom("run_span")
    .where("run_id", "=", run_id)
    .where("trace_id", "=", trace_id)
    .orderBy("span_id")
    .orderBy("part")
    .select(["span_id", "part", "span"])
    .execute();
  const events = Map.groupBy(
    rows.filter(({ part }) => part !== ""),
    ({ span_id }) => span_id,
  );
  const spans = rows
    .filter(({ part }) => part === "")
    .map((row): ReceivedSpan => {
      const span = fromJsonText<ReceivedSpan>(row.span);
      const own = events.get(row.span_id)?.map((event) => fromJsonText<SpanEvent>(event.span)) ?? [];
      return own.length === 0 ? span : { ...span, events: [...(span.events ?? []), ...own] };
    });
  return spans.toSorted((left, right) => left.start - right.start || left.end - right.end);
}

/** Deletes spans of a run. Returns their number, weighted by size: more than `limit` when some are left. */
export async function deleteSpans(
  writer: Writer,
  { runId, limit, pageBytes }: { runId: string; limit: number; pageBytes: number },
): Promise<number> {
  const spans = await writer
    .selectFrom("run_span")
    .where("run_id", "=", runId)
    .orderBy("trace_id")
    .orderBy("span_id")
    .orderBy("part")
    .limit(limit + 1)
    .select(["trace_id", "span_id", "part", "size"])
    .execute();
  let rows = 0;
  const last = spans.find(({ size }) => (rows += 1 + Math.floor(size / pageBytes)) > limit) ?? spans.at(-1);
  if (last) {
    await writer
      .deleteFrom("run_span")
      .where("run_id", "=", runId)
      .where(sql<boolean>`(trace_id, span_id, part) <= (${last.trace_id}, ${last.span_id}, ${last.part})`)
      .execute();
  }
  return rows;
}
