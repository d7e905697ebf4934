import { useMutation, useQueryClient } from "@tanstack/react-query";
import { GitCompareArrows, RotateCcw, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Run } from "../../src/contract/run.ts";
import { cancelRun } from "../api.ts";
import { useBaselines } from "../parts/baselines.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { comparePath } from "../parts/paths.ts";
import { PinButton } from "../parts/pin-button.tsx";
import { isEnded } from "../parts/run-state.ts";
import { useKeys } from "../parts/use-keys.ts";
import { DeleteRunDialog } from "./delete-run-dialog.tsx";

/** Stop while it runs; compare, repeat or delete when it has ended. */
export function RunActions({ run }: { run: Run }) {
  const [deleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const baseline = useBaselines()[run.test_name]?.runId;
  const compareHref =
    baseline === undefined || baseline === run.run_id
      ? `/compare?candidate=${encodeURIComponent(run.run_id)}`
      : comparePath({ baseline, candidate: run.run_id });
  useKeys({ c: () => navigate(compareHref) });
  const stop = useMutation({
    mutationFn: () => cancelRun(run.run_id),
    onSuccess: (stopped) => client.setQueryData(["run", run.run_id], stopped),
  });

  if (!isEnded(run.state)) {
    return (
      <>
        {stop.error && <FailedNotice error={stop.error} />}
        <button
          type="button"
          className="button button-danger"
          disabled={stop.isPending || run.state === "cancelling"}
          onClick={() => stop.mutate()}
        >
          <Square aria-hidden size={14} /> {run.state === "cancelling" ? "Stopping …" : "Stop"}
        </button>
      </>
    );
  }
  return (
    <>
      <Link href={compareHref} className="button">
        <GitCompareArrows aria-hidden size={14} /> Compare
      </Link>
      <PinButton run={run} words />
      <Link href={`/new?from=${encodeURIComponent(run.run_id)}`} className="button">
        <RotateCcw aria-hidden size={14} /> Run again
      </Link>
      <button type="button" className="button button-danger" onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden size={14} /> Delete
      </button>
      {deleting && <DeleteRunDialog run={run} onClose={() => setDeleting(false)} />}
    </>
  );
}
