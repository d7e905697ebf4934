import { z } from "zod";
import { ScoreStats } from "./scores/score.ts";

/** `failing`: no attempt passed. `flaky`: some passed. `waiting`: none has ended. `unscored`: some have ended, but have no scores. */
export const ScenarioStatus = z
  .enum(["failing", "flaky", "passing", "waiting", "unscored"])
  .meta({ id: "ScenarioStatus" });
export type ScenarioStatus = z.infer<typeof ScenarioStatus>;

/** Outline of one attempt. `errored`: a turn got no reply. `unscored`: there was nothing to measure it against. `unfinished`: turns are missing. `simulator_failed`: the simulated user failed. */
export const AttemptOutline = z
  .object({
    attempt: z.int().min(1),
    outcome: z.enum(["passed", "failed", "errored", "unscored", "unfinished", "simulator_failed"]),
    overall: z.number().nullable(),
  })
  .meta({ id: "AttemptOutline" });
export type AttemptOutline = z.infer<typeof AttemptOutline>;

/** One scenario of a run without its turns, which are in the results. */
export const RunScenario = z
  .object({
    scenario_id: z.string(),
    description: z.string(),
    status: ScenarioStatus,
    attempts: z.array(AttemptOutline),
    overall: z.number().nullable().describe("Mean over the attempts."),
    sd: z.number().nullable().describe("Standard deviation of `overall` over the attempts."),
  })
  .meta({ id: "RunScenario" });
export type RunScenario = z.infer<typeof RunScenario>;

/** The attempts of a scenario, counted. Those that could not be scored neither passed nor failed. */
export interface ScenarioTotals {
  readonly ended: number;
  readonly passed: number;
  readonly failed: number;
  /** Mean over the attempts; null when none has it. */
  readonly overall: number | null;
}

/** Query of GET /runs/{run_id}/scenarios. */
export const RunScenariosQuery = z
  .object({
    status: ScenarioStatus.optional(),
    search: z.string().max(200).optional().describe("Part of an id or a description."),
    sort: z
      .enum(["scenario", "-scenario", "passed", "-passed", "overall", "-overall"])
      .optional()
      .describe(
        "By id, by share of passed attempts or by score; descending with a minus. Default: failing scenarios first. Scenarios without the figure come last.",
      ),
    limit: z.coerce.number().int().min(1).max(200).default(100),
    offset: z.coerce.number().int().min(0).default(0),
    around: z.string().max(1024).optional().describe("A scenario id. The page begins one row before that scenario."),
  })
  .meta({ id: "RunScenariosQuery" });
export type RunScenariosQuery = z.infer<typeof RunScenariosQuery>;

/** One page of a run's scenarios: failing ones first, then flaky ones, each with the lowest score first. */
export const RunScenarioList = z
  .object({
    scenarios: z.array(RunScenario),
    offset: z.int().min(0).describe("Position of the first scenario among all matches."),
    total: z.int().min(0).describe("Number of matches."),
    counts: z.record(ScenarioStatus, z.int().min(0)).describe("Number of scenarios in the run by status."),
    overall: ScoreStats.optional().describe(
      "`overall` over all scenarios so far, with its interval. Equal to the run's summary once it has ended, except for attempts that were cut short.",
    ),
  })
  .meta({ id: "RunScenarioList" });
export type RunScenarioList = z.infer<typeof RunScenarioList>;

/** Query of GET /runs/{run_id}/results. */
export const ResultsQuery = z
  .object({ scenario_id: z.string().max(1024).optional().describe("Returns only this scenario.") })
  .meta({ id: "ResultsQuery" });
