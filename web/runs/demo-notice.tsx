import { useQueryClient } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { removeDemoRuns } from "../api.ts";
import { removeDemoScenarios } from "../library-api.ts";
import { unpinRuns } from "../parts/baselines.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";

/** Says what demo runs are, and removes them with the demo scenarios. */
export function DemoNotice() {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const remove = async (): Promise<void> => {
    try {
      await removeDemoRuns((runId) => unpinRuns([runId]));
      await removeDemoScenarios();
    } finally {
      void client.invalidateQueries();
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-warn-ground px-3 py-2 text-sm text-warn">
      <p className="min-w-0 flex-1 basis-72">
        <FlaskConical aria-hidden size={15} className="mr-2 inline-block align-text-bottom" />
        Runs marked demo were answered by scripted models: they show how things look, not how good a model is.
      </p>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Remove demo data
      </button>
      {asking && (
        <ConfirmDialog
          title="Remove demo data?"
          words={["Remove", "Removing …"]}
          onConfirm={remove}
          onDone={() => setAsking(false)}
          onClose={() => setAsking(false)}
        >
          Every run of a demo model and the demo scenarios will be gone for good.
        </ConfirmDialog>
      )}
    </div>
  );
}
