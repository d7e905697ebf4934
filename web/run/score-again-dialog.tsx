import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "../../src/contract/schemas/run.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { getRunRequest, rescoreRun } from "../api.ts";
import { ApiError } from "../api-error.ts";
import { getScenarios } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { ModalDialog } from "../parts/modal-dialog.tsx";

/** Scores the stored replies again, as scores are computed now and, if wanted, by what the library's scenarios expect now. */
export function ScoreAgainDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const client = useQueryClient();
  const [byLibrary, setByLibrary] = useState(false);
  const [ask_models, setAsking] = useState(false);
  const work = useMutation({
    mutationFn: async () =>
      rescoreRun(run.run_id, { ask_models, ...(byLibrary && { test_batch: await expectedNow(run.run_id) }) }),
    onSuccess: () => {
      // Whatever is shown of it may be another: its figures, its turns, comparisons with it.
      void client.invalidateQueries();
      onClose();
    },
  });
  return (
    <ModalDialog title="Score this run again" onClose={onClose}>
      <p>Its replies stay as they are: the model under test is not asked.</p>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={byLibrary} onChange={() => setByLibrary(!byLibrary)} />
        Use the references, labels and checks that the library has now
      </label>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={ask_models} onChange={() => setAsking(!ask_models)} />
        Ask judge, labeller and embedder again
      </label>
      {work.error && <FailedNotice error={work.error} />}
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button button-primary"
          aria-disabled={work.isPending}
          onClick={() => work.isPending || work.mutate()}
        >
          {work.isPending ? "Scoring …" : "Score again"}
        </button>
      </div>
    </ModalDialog>
  );
}

/** Those scenarios of a run that the library holds. */
async function expectedNow(runId: string): Promise<Scenario[]> {
  const { signal } = new AbortController();
  const { test_batch } = await getRunRequest(runId, signal);
  const ids = [test_batch].flat().map((scenario) => (scenario as { id: string }).id);
  const { scenarios } = await getScenarios(ids, signal);
  if (scenarios.length > 0) return scenarios;
  throw new ApiError("The library holds none of this run's scenarios.", {
    code: "scenario_not_found",
    detail: "",
    hint: "Save or import them first, or untick that box.",
    status: 404,
  });
}
