import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, GitCompareArrows, ListChecks, Pin, PinOff, RotateCcw, Scale, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { cancelRun } from "../api.ts";
import { useBaselines } from "../parts/baselines.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { handFocusToMain } from "../parts/hand-focus-on.ts";
import { Menu, MenuItem } from "../parts/menu.tsx";
import { auditPath, comparePath } from "../parts/paths.ts";
import { isEnded } from "../parts/run-state.ts";
import { useKeys } from "../parts/use-keys.ts";
import { usePin } from "../parts/use-pin.ts";
import { DeleteRunDialog } from "./delete-run-dialog.tsx";
import { ExportFormats } from "./export-formats.tsx";
import { ScoreAgainDialog } from "./score-again-dialog.tsx";

/** Stop while it runs; compare, repeat, export, pin, score again or delete when it has ended. */
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

function StopButton({ run }: { run: Run }) {
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => cancelRun(run.run_id),
    onSuccess: (stopped) => client.setQueryData(["run", run.run_id], stopped),
  });
  const stopping = stop.isPending || run.state === "cancelling";
  return (
    <>
      {stop.error && <FailedNotice error={stop.error} />}
      <button
        type="button"
        className="button button-danger"
        ref={handFocusToMain}
        // Not disabled, which would take the focus away.
        aria-disabled={stopping}
        onClick={() => stopping || stop.mutate()}
      >
        <Square aria-hidden size={14} /> {stopping ? "Stopping …" : "Stop"}
      </button>
    </>
  );
}

function MoreMenu({ run }: { run: Run }) {
  const [asked, setAsked] = useState<"score" | "delete" | null>(null);
  const close = () => setAsked(null);
  const { pinned, toggle } = usePin(run);
  const [, navigate] = useLocation();
  return (
    <>
      <Menu trigger={<Ellipsis aria-hidden size={16} />} label="More">
        <MenuItem icon={pinned ? PinOff : Pin} onSelect={toggle}>
          {pinned ? "Unpin the baseline" : "Pin as baseline"}
        </MenuItem>
        <MenuItem icon={Scale} onSelect={() => setAsked("score")}>
          Score again
        </MenuItem>
        {hasJudgedReplies(run) && (
          <MenuItem icon={ListChecks} onSelect={() => navigate(auditPath(run.run_id))}>
            Check the judge
          </MenuItem>
        )}
        <MenuItem icon={Trash2} tone="bad" onSelect={() => setAsked("delete")}>
          Delete
        </MenuItem>
      </Menu>
      {asked === "score" && <ScoreAgainDialog run={run} onClose={close} />}
      {asked === "delete" && <DeleteRunDialog run={run} onClose={close} />}
    </>
  );
}

/** Whether a judge was asked about single replies. */
function hasJudgedReplies({ summary }: Run): boolean {
  return Object.keys(summary?.average_scores ?? {}).some((name) => /^judge(?:_correctness$|\.)/.test(name));
}
