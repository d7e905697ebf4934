import { whileAway } from "../../client/while-away.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run } from "../../contract/schemas/run.ts";
import type { RunClient } from "../parts/run-client.ts";
import type { Reporter } from "../reporters/reporter.ts";
import { createProgressTally } from "./progress.ts";

/** Follows a run to its end, telling the reporters of every turn, and reads its results. */
export async function followRun(
  run: Run,
  { client, reporters, signal }: { client: RunClient; reporters: readonly Reporter[]; signal: AbortSignal },
): Promise<EvaluationResponse> {
  const { interactions_total, interactions_done } = run.progress;
  const tally = createProgressTally({ turns: interactions_total, before: interactions_done });
  for (const reporter of reporters) reporter.onStart?.(run);
  for await (const event of client.events(run.run_id, { signal })) {
    if (event.type !== "interaction") continue;
    tally.add(event.data);
    for (const reporter of reporters) reporter.onTurn?.(event.data, tally.figures());
  }
  return whileAway(() => client.results(run.run_id, { signal }), { signal });
}
