import { compact } from "../../src/base/compact.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  ChartLine,
  Ellipsis,
  GitCompareArrows,
  ListChecks,
  Pin,
  PinOff,
  RotateCcw,
  Scale,
  Square,
  Tags,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { runFileName } from "../../src/base/file-name.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { ApiError } from "../api/api-error.ts";
import { changeRun, requestCancel, deleteRun, exportRun, fetchRunRequest, requestRescore } from "../api/runs.ts";
import { fetchScenarios } from "../api/library.ts";
import { unpinRuns, useBaselines, usePin } from "../parts/runs/baselines.tsx";
import { useModelName } from "../parts/runs/model-names.ts";
import { ConfirmDialog, ModalDialog } from "../parts/screen/dialogs.tsx";
import { DownloadMenu } from "../parts/screen/downloads.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { formatCount, formatInteger } from "../parts/text/format.ts";
import { passFocusToMain } from "../parts/browser/focus.ts";
import { Menu, MenuItem } from "../parts/screen/menu.tsx";
import { comparePath, historyPath, reviewPath } from "../parts/address/paths.ts";
import { TextField } from "../parts/forms/fields.tsx";
import { isEnded, runName } from "../parts/runs/run-facts.ts";
import { useKeys } from "../parts/browser/events.ts";

/** Stop while the run is going on; compare, repeat, export, pin, rescore or delete once it has ended. */
export function RunActions({ run }: { run: Run }) {
  const [, navigate] = useLocation();
  const baseline = useBaselines()[run.test_name]?.runId;
  const compareHref =
    baseline === undefined || baseline === run.run_id
      ? `/compare?candidate=${encodeURIComponent(run.run_id)}`
      : comparePath({ baseline, candidate: run.run_id });
  useKeys({ c: () => navigate(compareHref) });

  if (!isEnded(run.state)) return <StopButton run={run} />;
  return (
    <>
      <Link href={compareHref} className="button">
        <GitCompareArrows aria-hidden size={14} /> Compare
      </Link>
      <Link href={`/new?from=${encodeURIComponent(run.run_id)}`} className="button">
        <RotateCcw aria-hidden size={14} /> Run again
      </Link>
      <ExportFormats run={run} />
      <MoreMenu run={run} />
    </>
  );
}

/** Asks first: a stopped run cannot be continued. */
function StopButton({ run }: { run: Run }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const stopping = run.state === "cancelling";
  const { interactions_done: done, interactions_total: total } = run.progress;
  const stop = async (): Promise<void> => {
    client.setQueryData(["run", run.run_id], await requestCancel(run.run_id));
  };
  return (
    <>
      {/* Before the button: when both go away, the dialog returns the focus to the button, which then passes it on. */}
      {asking && (
        <ConfirmDialog
          title="Stop this run?"
          words={["Stop run", "Stopping …"]}
          keep="Keep running"
          onConfirm={stop}
          onDone={() => setAsking(false)}
          onClose={() => setAsking(false)}
        >
          {formatInteger(done)} of {formatCount(total, "turn")} are done and will be kept. The others will not run, and
          a stopped run cannot be continued.
        </ConfirmDialog>
      )}
      <button
        type="button"
        className="button button-danger"
        ref={passFocusToMain}
        // A disabled button would lose the focus.
        aria-disabled={stopping}
        onClick={() => stopping || setAsking(true)}
      >
        <Square aria-hidden size={14} /> {stopping ? "Stopping …" : "Stop"}
      </button>
    </>
  );
}

function MoreMenu({ run }: { run: Run }) {
  const [asked, setAsked] = useState<"score" | "rename" | "delete" | null>(null);
  const close = () => setAsked(null);
  const { pinned, toggle } = usePin(run);
  const [, navigate] = useLocation();
  return (
    <>
      <Menu trigger={<Ellipsis aria-hidden size={16} />} label="More">
        <MenuItem icon={pinned ? PinOff : Pin} onSelect={toggle}>
          {pinned ? "Unpin baseline" : "Pin as baseline"}
        </MenuItem>
        <MenuItem icon={Scale} onSelect={() => setAsked("score")}>
          Score again
        </MenuItem>
        <MenuItem icon={Tags} onSelect={() => setAsked("rename")}>
          Rename and tag
        </MenuItem>
        <MenuItem icon={ChartLine} onSelect={() => navigate(historyPath(run.test_name))}>
          Score history
        </MenuItem>
        <MenuItem icon={ListChecks} onSelect={() => navigate(reviewPath(run.run_id))}>
          Review replies
        </MenuItem>
        <MenuItem icon={Trash2} tone="bad" onSelect={() => setAsked("delete")}>
          Delete
        </MenuItem>
      </Menu>
      {asked === "score" && <ScoreAgainDialog run={run} onClose={close} />}
      {asked === "rename" && <RenameDialog run={run} onClose={close} />}
      {asked === "delete" && <DeleteRunDialog run={run} onClose={close} />}
    </>
  );
}

const exportFormats = [
  { id: "html", title: "Report, opens anywhere", extension: "html" },
  { id: "json", title: "All results", extension: "json" },
  { id: "jsonl", title: "JSON lines", extension: "jsonl" },
  { id: "csv", title: "Table", extension: "csv" },
  { id: "junit", title: "JUnit", extension: "xml" },
  { id: "markdown", title: "Markdown", extension: "md" },
  { id: "sft", title: "Fine-tuning (SFT)", extension: "jsonl" },
  { id: "dpo", title: "Preferences (DPO)", extension: "jsonl" },
];

/** Downloads the run in another format. */
function ExportFormats({ run }: { run: Run }) {
  const name = useModelName()(run.model_id);
  const model_name = name === run.model_id ? undefined : name;
  return (
    <DownloadMenu
      name={runFileName(run)}
      formats={exportFormats}
      read={(format) => exportRun(run.run_id, format === "html" ? { format, model_name } : { format })}
    />
  );
}

/** Rescores the stored replies, optionally with the library's current expectations and with new model calls. */
function ScoreAgainDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const client = useQueryClient();
  const [byLibrary, setByLibrary] = useState(false);
  const [ask_models, setAsking] = useState(false);
  const work = useMutation({
    mutationFn: async () =>
      requestRescore(
        run.run_id,
        compact({ ask_models, test_batch: byLibrary ? await libraryScenarios(run.run_id) : undefined }),
      ),
    onSuccess: () => {
      // Figures, turns and comparisons of this run may all have changed.
      void client.invalidateQueries();
      onClose();
    },
  });
  return (
    <ModalDialog title="Score this run again" onClose={onClose}>
      <p>Scores the stored replies again. The model under test is not called.</p>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={byLibrary} onChange={() => setByLibrary(!byLibrary)} />
        Use the library's current references, labels and checks
      </label>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={ask_models} onChange={() => setAsking(!ask_models)} />
        Run judge, labeller and embedder again
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

/** The scenarios of a run that are in the library, in their current version. */
async function libraryScenarios(runId: string): Promise<Scenario[]> {
  const { signal } = new AbortController();
  const { test_batch } = await fetchRunRequest(runId, signal);
  const ids = [test_batch].flat().map((scenario) => (scenario as { id: string }).id);
  const { scenarios } = await fetchScenarios(ids, signal);
  if (scenarios.length > 0) return scenarios;
  throw new ApiError("None of this run's scenarios are in the library.", {
    code: "scenario_not_found",
    detail: "",
    hint: "Save or import them first, or clear that checkbox.",
    status: 404,
  });
}

/** Changes the name and the tags. A new name moves the run to another test: baselines and history go by name. */
function RenameDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(run.test_name);
  const [tags, setTags] = useState((run.tags ?? []).join(", "));
  const listed = [...new Set(tags.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
  const work = useMutation({
    mutationFn: () =>
      changeRun(run.run_id, compact({ test_name: name.trim() !== "" ? name.trim() : undefined, tags: listed })),
    onSuccess: (changed) => {
      client.setQueryData(["run", run.run_id], changed);
      void client.invalidateQueries({ queryKey: ["runs"] });
      onClose();
    },
  });
  return (
    <ModalDialog title="Rename and tag" onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!work.isPending) work.mutate();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onText={setName}
          hint="Runs with the same name belong to one test."
          autoFocus
        />
        <TextField label="Tags" value={tags} onText={setTags} hint="Separated by commas." />
        {work.error && <FailedNotice error={work.error} />}
        <div className="flex justify-end gap-2">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button className="button button-primary" aria-disabled={work.isPending}>
            {work.isPending ? "Saving …" : "Save"}
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}

function DeleteRunDialog({ run, onClose }: { run: Run; onClose: () => void }) {
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
      “<bdi>{runName(run)}</bdi>” and its {formatCount(run.progress.interactions_done, "stored turn")} will be deleted
      permanently.
    </ConfirmDialog>
  );
}
