import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { RunScenario, RunScenarioList } from "../../../src/contract/schemas/run-scenarios.ts";
import { allRows, readRowFilter, scenarioStatuses } from "../../../web/run/grid/scenario-rows.ts";

/** GET /runs/{run_id}/scenarios. */
export function listScenarios(run: EvaluationResponse, query: URLSearchParams): RunScenarioList {
  const { total, counts, rowAt } = allRows(run, {
    status: scenarioStatuses.find((status) => status === query.get("status")),
    text: query.get("search") ?? "",
    sort: readRowFilter(query).sort,
  });
  const rows = Array.from({ length: total }, (_, index) => rowAt(index)).filter((row) => row !== undefined);
  const around = rows.findIndex(({ scenarioId }) => scenarioId === query.get("around"));
  const offset = query.has("around") ? Math.max(0, around - 1) : Number(query.get("offset") ?? 0);
  const page = rows.slice(offset, offset + Number(query.get("limit") ?? 100));
  return {
    scenarios: page.map(({ scenarioId, cells, description, status, overall, sd }): RunScenario => ({
      scenario_id: scenarioId,
      // The service lists only what has begun.
      attempts: cells.flatMap(({ outcome, ...cell }) => (outcome === "waiting" ? [] : [{ ...cell, outcome }])),
      description,
      status,
      overall,
      sd,
    })),
    offset,
    total,
    counts,
    ...(run.summary.score_stats["overall"] && { overall: run.summary.score_stats["overall"] }),
  };
}

/** GET /runs/{run_id}/results?scenario_id=. */
export function narrowed(run: EvaluationResponse, query: URLSearchParams): EvaluationResponse {
  const wanted = query.get("scenario_id");
  if (wanted === null) return run;
  const scenarios = run.results.scenarios.filter(({ scenario_id }) => scenario_id === wanted);
  return { ...run, results: { scenarios } };
}
