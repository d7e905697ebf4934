import type { Run } from "../../src/contract/schemas/run.ts";
import { DemoBadge } from "../parts/demo-badge.tsx";
import { runName } from "../parts/run-name.ts";
import { RunStateBadge } from "../parts/run-state-badge.tsx";

export function RunHeading({ run }: { run: Run }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="verbatim line-clamp-3" title={runName(run)}>
        {runName(run)}
      </span>
      <span className="font-medium">
        <RunStateBadge run={run} />
      </span>
      {run.demo && <DemoBadge />}
    </span>
  );
}
