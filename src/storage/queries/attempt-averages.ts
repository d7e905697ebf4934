import { setImmediate } from "node:timers/promises";
import type { Selectable } from "kysely";
import type { AttemptAverages } from "../../contract/ports/store.ts";
import type { LongReads, Reader } from "../database.ts";
import { fromNullableJsonText } from "../json-text.ts";
import type { AttemptTable } from "../schema.ts";

/** Attempts read at once: few enough that nothing else waits for them. */
const pageSize = 2000;

/** The averages of every attempt with a stored turn, without its turns: in order, a bounded number at a time. */
export async function* streamAverages(
  { reader, longReader = reader }: LongReads,
  runId: string,
): AsyncGenerator<readonly AttemptAverages[]> {
  let page = await averagesAfter(reader, runId, null);
  for (;;) {
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    await setImmediate();
    page = await averagesAfter(longReader, runId, last);
  }
}

async function averagesAfter(reader: Reader, runId: string, last: AttemptAverages | null): Promise<AttemptAverages[]> {
  let query = averages(reader, runId).limit(pageSize);
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("scenario_index", "attempt"), ">", tuple(last.scenario_index, last.attempt)),
    );
  }
  return (await query.execute()).map(toAverages);
}

/** The same of some scenarios. */
export async function averagesOfScenarios(
  reader: Reader,
  runId: string,
  indexes: readonly number[],
): Promise<AttemptAverages[]> {
  if (indexes.length === 0) return [];
  const rows = await averages(reader, runId).where("scenario_index", "in", indexes).execute();
  return rows.map(toAverages);
}

const averages = (reader: Reader, runId: string) =>
  reader
    .selectFrom("attempt")
    .where("run_id", "=", runId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb("interactions_done", ">", 0),
        exists(selectFrom("interaction").whereRef("attempt_id", "=", "attempt.id").select("turn_index")),
      ]),
    )
    .orderBy("scenario_index")
    .orderBy("attempt")
    .select(["scenario_index", "attempt", "state", "average_scores", "interactions_done"]);

const toAverages = (
  row: Pick<Selectable<AttemptTable>, "scenario_index" | "attempt" | "state" | "average_scores" | "interactions_done">,
) => ({
  scenario_index: row.scenario_index,
  attempt: row.attempt,
  state: row.state,
  average_scores: fromNullableJsonText<Record<string, number>>(row.average_scores),
  interactions_done: row.interactions_done,
});
