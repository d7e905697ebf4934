import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Gauge } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { estimateRun } from "../api.ts";
import { WarningList } from "../parts/warning-list.tsx";

/** What the run would take, as the service sees it. Nothing while the request is not whole, or where it cannot tell. */
export const RunEstimate = memo(function RunEstimate({ request }: { request: Readonly<Record<string, unknown>> }) {
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
