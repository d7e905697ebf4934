import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Run } from "../../src/contract/run.ts";
import { deleteRun } from "../api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatCount } from "../parts/format.ts";
import { ModalDialog } from "../parts/modal-dialog.tsx";

export function DeleteRunDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => deleteRun(run.run_id),
    onSuccess: () => {
      navigate("/runs", { replace: true });
      void client.invalidateQueries({ queryKey: ["runs"] });
    },
  });

  return (
    <ModalDialog title="Delete this run?" onClose={onClose}>
      <p className="verbatim">
        “{run.test_name}” with {formatCount(run.progress.interactions_done, "stored turn")} will be gone for good.
      </p>
      {remove.error && <FailedNotice error={remove.error} />}
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          Keep
        </button>
        <button
          type="button"
          className="button button-danger"
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {remove.isPending ? "Deleting …" : "Delete"}
        </button>
      </div>
    </ModalDialog>
  );
}
