import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { removeScenario } from "../library-api.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";

export function RemoveScenarioDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title="Remove this scenario?"
      words={["Remove", "Removing …"]}
      onConfirm={() => removeScenario(id)}
      onDone={() => {
        navigate("/scenarios", { replace: true });
        void client.invalidateQueries({ queryKey: ["library"] });
      }}
      onClose={onClose}
    >
      “<bdi>{id}</bdi>” and all its versions will be gone. Runs that used it stay as they are.
    </ConfirmDialog>
  );
}
