import type { RunScenariosQuery, ScenarioStatus } from "../../src/contract/schemas/run-scenarios.ts";

export type { RunScenario, RunScenarioList, ScenarioStatus } from "../../src/contract/schemas/run-scenarios.ts";

/** In the order they are listed. */
export const scenarioStatuses: readonly ScenarioStatus[] = ["failing", "flaky", "waiting", "unscored", "passing"];

export const statusWords = (status: ScenarioStatus): string => (status === "unscored" ? "not scored" : status);

export type RunScenarioQuery = Partial<RunScenariosQuery>;
