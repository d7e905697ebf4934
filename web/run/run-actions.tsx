import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { Run } from "../../src/contract/run.ts";
import { cancelRun } from "../api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { isEnded } from "../parts/run-state.ts";
import { DeleteRunDialog } from "./delete-run-dialog.tsx";

/** Stop while it runs; repeat or delete when it has ended. */
export function RunActions({ run }: { run: Run }) {
  const [deleting, setDeleting] = useState(false);
  const client = useQueryClient();
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
