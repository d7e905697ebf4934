import type { EvaluationClient } from "../../client/evaluation-client.ts";
import type { RunList } from "../../contract/schemas/run.ts";
import type { RunFilter } from "../../contract/ports/store.ts";

/** What a command does with its runs, here or at a service. */
export interface RunClient extends Pick<EvaluationClient, "start" | "get" | "events" | "results"> {
  /** One page, newest first. */
  list(query: Omit<RunFilter, "owner" | "search_model_ids">): Promise<RunList>;
}
