import { useQuery } from "@tanstack/react-query";
import { exportLines } from "../api.ts";
import type { AuditQuestion } from "./audit-questions.ts";
import { createReplySample, type ExportedTurn } from "./reply-sample.ts";

/** As many as somebody reads in an hour. */
const most = 100;

/** Some replies of a run for a person to judge. However large the run is, one turn is held at a time beside them. */
export const useReplySample = (runId: string, { needsReference, isTaught }: AuditQuestion) =>
  useQuery({
    queryKey: ["audit-sample", runId, needsReference],
    queryFn: async ({ signal }) => {
      const sample = createReplySample({ runId, most, needsReference, isTaught });
      for await (const line of exportLines(runId, signal)) sample.add(JSON.parse(line) as ExportedTurn);
      return sample.replies();
    },
    staleTime: Infinity,
  });
