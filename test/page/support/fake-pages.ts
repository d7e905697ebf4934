import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import { wholeRows } from "../../../web/run/row-source.ts";
import { scenarioStatuses, type RunScenario, type RunScenarioList } from "../../../web/run/run-scenario-list.ts";

/** GET /runs/{run_id}/scenarios. */
export function listScenarios(run: EvaluationResponse, query: URLSearchParams): RunScenarioList {
  const { total, counts, rowAt } = wholeRows(run, {
    status: scenarioStatuses.find((status) => status === query.get("status")),
    text: query.get("search") ?? "",
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
  };
}

/** GET /runs/{run_id}/results?scenario_id=. */
export function narrowed(run: EvaluationResponse, query: URLSearchParams): EvaluationResponse {
  const wanted = query.get("scenario_id");
  if (wanted === null) return run;
  const scenarios = run.results.scenarios.filter(({ scenario_id }) => scenario_id === wanted);
  return { ...run, results: { scenarios } };
}
