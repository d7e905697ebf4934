import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { removeDemoRuns } from "../api.ts";
import { removeDemoScenarios } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { ModalDialog } from "../parts/modal-dialog.tsx";

/** Says what demo runs are, and removes them with the demo scenarios. */
export function DemoNotice() {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => {
      await removeDemoRuns();
      await removeDemoScenarios();
    },
    onSettled: () => client.invalidateQueries(),
    onSuccess: () => setAsking(false),
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-warn-ground px-3 py-2 text-sm text-warn">
      <FlaskConical aria-hidden size={15} />
      Runs marked demo were answered by scripted models: they show how things look, not how good a model is.
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Remove demo data
      </button>
      {asking && (
        <ModalDialog title="Remove demo data?" onClose={() => setAsking(false)}>
          <p className="text-ink">Every run of a demo model and the demo scenarios will be gone for good.</p>
          {remove.error && <FailedNotice error={remove.error} />}
          <div className="flex justify-end gap-2">
            <button type="button" className="button" onClick={() => setAsking(false)}>
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
      )}
    </div>
  );
}
