import { z } from "zod";

/**
 * `failing`: no attempt passed. `flaky`: some did. `waiting`: none has ended. `unscored`: some have, and there was nothing to
 * measure them by.
 */
export const ScenarioStatus = z
  .enum(["failing", "flaky", "passing", "waiting", "unscored"])
  .meta({ id: "ScenarioStatus" });
export type ScenarioStatus = z.infer<typeof ScenarioStatus>;

/**
 * One attempt in short. `errored`: a turn got no reply. `unscored`: there was nothing to measure it against. `unfinished`: it has
 * not come to its end, and says nothing yet.
 */
export const AttemptOutline = z
  .object({
    attempt: z.int().min(1),
    outcome: z.enum(["passed", "failed", "errored", "unscored", "unfinished"]),
    overall: z.number().nullable(),
  })
  .meta({ id: "AttemptOutline" });
export type AttemptOutline = z.infer<typeof AttemptOutline>;

/** One scenario of a run in short: enough to draw its row; the results hold the rest. */
export const RunScenario = z
  .object({
    scenario_id: z.string(),
    description: z.string(),
    status: ScenarioStatus,
    attempts: z.array(AttemptOutline),
    overall: z.number().nullable().describe("Mean over its attempts."),
    sd: z.number().nullable().describe("Of `overall` over its attempts."),
  })
  .meta({ id: "RunScenario" });
export type RunScenario = z.infer<typeof RunScenario>;

/** Query of GET /runs/{run_id}/scenarios. */
export const RunScenariosQuery = z
  .object({
    status: ScenarioStatus.optional(),
    search: z.string().max(200).optional().describe("Part of an id or a description."),
    limit: z.coerce.number().int().min(1).max(200).default(100),
    offset: z.coerce.number().int().min(0).default(0),
    around: z.string().max(1024).optional().describe("A scenario's id: the page begins one row before it."),
  })
  .meta({ id: "RunScenariosQuery" });
export type RunScenariosQuery = z.infer<typeof RunScenariosQuery>;

/** One page of a run's scenarios: failing ones first, then flaky ones, the lowest score on top. */
export const RunScenarioList = z
  .object({
    scenarios: z.array(RunScenario),
    offset: z.int().min(0).describe("Place of the first one among all that match."),
    total: z.int().min(0).describe("How many match."),
    counts: z.record(ScenarioStatus, z.int().min(0)).describe("Of the whole run, by status."),
  })
  .meta({ id: "RunScenarioList" });
export type RunScenarioList = z.infer<typeof RunScenarioList>;

/** Query of GET /runs/{run_id}/results. */
export const ResultsQuery = z
  .object({ scenario_id: z.string().max(1024).optional().describe("Leaves out every other scenario.") })
  .meta({ id: "ResultsQuery" });
