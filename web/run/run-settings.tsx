import { useQuery } from "@tanstack/react-query";
import type { Run } from "../../src/contract/schemas/run.ts";
import { fetchRunRequest } from "../api/runs.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatValue } from "../parts/text/format.ts";
import { Skeleton } from "../parts/screen/screen.tsx";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";

/** Shown among the details already. */
const shownElsewhere = new Set(["test_name", "endpoint", "model_id", "history", "tags"]);

/** The request of a run without its scenarios: prompt, parameters, judge, gate. */
export function RequestSettings({ run }: { run: Run }) {
  const request = useQuery({
    queryKey: ["run-request", run.run_id],
    queryFn: async ({ signal }) => {
      const { test_batch: _, ...settings } = await fetchRunRequest(run.run_id, signal);
      return Object.entries(settings).filter(([name]) => !shownElsewhere.has(name));
    },
    staleTime: Infinity,
  });
  if (request.isError) return <FailedNotice error={request.error} onRetry={() => void request.refetch()} />;
  if (!request.data) return <Skeleton rows={3} label="Loading the settings" />;
  return (
    <section aria-label="Settings" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 text-sm">
      <h2 className="font-semibold">Settings</h2>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {request.data.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="mono text-soft">{name}</dt>
            <dd className="min-w-0">
              <VerbatimText text={formatValue(value)} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
