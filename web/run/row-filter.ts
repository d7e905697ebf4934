import { scenarioStatuses, type ScenarioStatus } from "./run-scenario-list.ts";

export interface RowFilter {
  readonly status: ScenarioStatus | undefined;
  readonly text: string;
}

/** The filter as it stands in the address. */
export const readRowFilter = (params: URLSearchParams): RowFilter => ({
  status: scenarioStatuses.find((status) => status === params.get("show")),
  text: params.get("q") ?? "",
});

export const isFiltered = ({ status, text }: RowFilter): boolean => status !== undefined || text !== "";
