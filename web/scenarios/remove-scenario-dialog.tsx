import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { removeScenario } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { ModalDialog } from "../parts/modal-dialog.tsx";

export function RemoveScenarioDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => removeScenario(id),
    onSuccess: () => {
      navigate("/scenarios", { replace: true });
      void client.invalidateQueries({ queryKey: ["library"] });
    },
  });
  return (
    <ModalDialog title="Remove this scenario?" onClose={onClose}>
      <p className="verbatim">“{id}” and all its versions will be gone. Runs that used it stay as they are.</p>
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
          {remove.isPending ? "Removing …" : "Remove"}
        </button>
      </div>
    </ModalDialog>
  );
}
