import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CircleAlert, Gauge } from "lucide-react";
import { memo, useEffect, useState } from "react";
import type { ApiError } from "../api-error.ts";
import { estimateRun, isForbiddenEndpoint } from "../api.ts";
import { WarningList } from "../parts/warning-list.tsx";

interface RunEstimateProps {
  readonly request: Readonly<Record<string, unknown>>;
  /** True while it stands elsewhere why the request was refused. */
  readonly refused: boolean;
}

/** What the run would take, as the service sees it. Nothing while the request is not whole, or where it cannot tell. */
export const RunEstimate = memo(function RunEstimate({ request, refused }: RunEstimateProps) {
  const [settled, setSettled] = useState(() => JSON.stringify(request));
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.stringify(request)), 400);
    return () => clearTimeout(timer);
  }, [request]);
  const estimate = useQuery({
    queryKey: ["estimate", settled],
    queryFn: ({ signal }) => estimateRun(settled, signal),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
  if (isForbiddenEndpoint(estimate.error) && !refused) return <ForbiddenEndpoint error={estimate.error} />;
  if (!estimate.data || estimate.isError) return null;
  const { sentence, based_on, within_budget, warnings } = estimate.data;
  return (
    <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="flex items-start gap-2 text-sm">
        <Gauge aria-hidden size={16} className="mt-0.5 shrink-0 text-soft" />
        <span className="verbatim">
          {sentence} {!sentence.includes(based_on) && <span className="text-soft">Based on {based_on}.</span>}
          {within_budget === false && <span className="font-semibold text-warn"> More than the budget allows.</span>}
        </span>
      </p>
      <WarningList warnings={warnings} />
    </div>
  );
});

/** Said before a run is started that could only be refused. */
function ForbiddenEndpoint({ error: { detail, hint } }: { error: ApiError }) {
  return (
    <p role="status" className="flex items-start gap-2 text-sm">
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-warn" />
      <span className="verbatim">
        <span className="font-semibold">This run would be refused.</span> {detail} {hint}
      </span>
    </p>
  );
}
