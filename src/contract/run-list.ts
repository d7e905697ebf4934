import { z } from "zod";
import { RunState } from "./run-state.ts";
import { Run } from "./run.ts";

/** Query of GET /runs. */
export const RunListQuery = z
  .object({
    state: RunState.optional(),
    test_name: z.string().max(1024).optional(),
    model_id: z.string().max(512).optional(),
    search: z.string().max(1024).optional().describe("Part of the test name or the model id, in any case."),
    search_model_ids: z
      .string()
      .max(4000)
      .optional()
      .describe("Models whose runs a search finds as well, comma separated: those whose name you know and we do not."),
    limit: z.coerce.number().int().min(1).max(200).default(50).describe("Fewer runs come where they are long."),
    cursor: z.string().max(200).optional().describe("next_cursor of the page before."),
  })
  .meta({ id: "RunListQuery" });
export type RunListQuery = z.infer<typeof RunListQuery>;

/** One page of runs, newest first. */
export const RunList = z.object({ runs: z.array(Run), next_cursor: z.string().nullable() }).meta({ id: "RunList" });
export type RunList = z.infer<typeof RunList>;
