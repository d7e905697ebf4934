import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { deleteRun } from "../api.ts";
import { unpinRuns } from "../parts/baselines.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { formatCount } from "../parts/format.ts";
import { runName } from "../parts/run-name.ts";

export function DeleteRunDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title="Delete this run?"
      words={["Delete", "Deleting …"]}
      onConfirm={() => deleteRun(run.run_id)}
      onDone={() => {
        unpinRuns([run.run_id]);
        navigate("/runs", { replace: true });
        void client.invalidateQueries({ queryKey: ["runs"] });
      }}
      onClose={onClose}
    >
      “<bdi>{runName(run)}</bdi>” with {formatCount(run.progress.interactions_done, "stored turn")} will be gone for
      good.
    </ConfirmDialog>
  );
}
