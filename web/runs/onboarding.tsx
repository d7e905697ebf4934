import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState, useSyncExternalStore, type ReactNode } from "react";
import { Link } from "wouter";
import type { Run } from "../../src/contract/schemas/run.ts";
import { fetchRunScenarios, removeDemoRuns } from "../api/runs.ts";
import { fetchProviders } from "../api/models.ts";
import { removeDemoScenarios } from "../api/library.ts";
import { usePageConfig } from "../api/queries.ts";
import { transcriptPath } from "../parts/address/paths.ts";
import { mainArea } from "../parts/browser/focus.ts";
import { notifyStored, onStored } from "../parts/browser/storage.ts";
import { unpinRuns } from "../parts/runs/baselines.tsx";
import { ConfirmDialog } from "../parts/screen/dialogs.tsx";

const seenKey = "rehearsal.seen-failure";
const hiddenKey = "rehearsal.first-steps-hidden";

const useStored = (key: string): boolean => useSyncExternalStore(onStored, () => localStorage.getItem(key) !== null);

function store(key: string): void {
  localStorage.setItem(key, "yes");
  notifyStored();
}

/** Three steps with their state, until all are done or the user hides them. Below demo runs, only their notice remains. */
export function FirstSteps({ runs }: { runs: readonly Run[] }) {
  const hidden = useStored(hiddenKey);
  const seen = useStored(seenKey);
  const connected = useIsConnected();
  const ownRun = runs.some((run) => !run.demo);
  const done = [seen, ownRun, connected].filter(Boolean).length;
  const demo = runs.some((run) => run.demo) ? <DemoNotice /> : null;
  if (runs.length > 0 && (hidden || done === 3)) return demo;
  return (
    <section className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4" aria-label="First steps">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-base font-semibold">First steps</h2>
        <span className="flex items-center gap-3 text-sm text-soft tabular-nums">
          {done} of 3 done
          {runs.length > 0 && (
            <button
              type="button"
              className="button button-quiet"
              onClick={() => {
                store(hiddenKey);
                // The focused button disappears.
                mainArea()?.focus();
              }}
            >
              Hide
            </button>
          )}
        </span>
      </header>
      <ol className="grid gap-x-6 gap-y-4 md:grid-cols-3">
        <ExampleStep runs={runs} done={seen} />
        <StepItem number={2} done={ownRun} title="Run your own scenarios">
          <Link href="/new?start=paste" className="link">
            Paste scenarios
          </Link>{" "}
          or{" "}
          <Link href="/scenarios/import" className="link">
            import a file
          </Link>
          . Errors point to the exact line.
        </StepItem>
        <StepItem number={3} done={connected} title="Connect your model">
          <Link href="/connect" className="link">
            {connected ? "Connect another model" : "Choose a provider"}
          </Link>{" "}
          and see which variable to set. Keys stay in your environment.
        </StepItem>
      </ol>
      {demo}
    </section>
  );
}

/** True when the agent serves models of a provider; the demo is none. */
function useIsConnected(): boolean {
  const providers = useQuery({
    queryKey: ["providers"],
    queryFn: ({ signal }) => fetchProviders(signal),
    staleTime: 10_000,
    retry: false,
  });
  return providers.data?.hub === true || (providers.data?.providers.some(({ connected }) => connected) ?? false);
}

/** Opens a transcript that failed; before the first run, the form with the example. */
function ExampleStep({ runs, done }: { runs: readonly Run[]; done: boolean }) {
  const demo = usePageConfig().data?.demo ?? false;
  const failed = runs.find((run) => (run.summary?.scenarios?.failing ?? 0) > 0);
  const failing = useQuery({
    queryKey: ["example-failure", failed?.run_id],
    queryFn: ({ signal }) => fetchRunScenarios(failed?.run_id ?? "", { status: "failing", limit: 1 }, signal),
    enabled: failed !== undefined,
    retry: false,
    staleTime: Infinity,
  });
  const scenarioId = failing.data?.scenarios[0]?.scenario_id;
  if (failed && scenarioId !== undefined) {
    return (
      <StepItem number={1} done={done} title="Look at an example failure">
        <Link
          href={transcriptPath({ runId: failed.run_id, scenarioId, attempt: 1 })}
          className="link"
          onClick={() => store(seenKey)}
        >
          Open a reply that failed
        </Link>{" "}
        beside its reference, with every score.
      </StepItem>
    );
  }
  return (
    <StepItem number={1} done={done} title="Look at an example failure">
      <Link href="/new?start=demo" className="link">
        {demo ? "Run the demo" : "Start from an example"}
      </Link>
      {demo
        ? ": six short conversations with a scripted model. No key, nothing leaves this machine."
        : ": six short conversations to edit."}
    </StepItem>
  );
}

interface StepItemProps {
  readonly number: number;
  readonly done: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

function StepItem({ number, done, title, children }: StepItemProps) {
  return (
    <li className="flex items-start gap-3">
      <span
        className={`grid size-6 shrink-0 place-items-center rounded-full text-sm font-semibold tabular-nums ${done ? "bg-good-ground text-good" : "bg-accent-ground text-accent"}`}
      >
        {done ? <Check aria-hidden size={14} /> : number}
        {done && <span className="sr-only">Done:</span>}
      </span>
      <span className="grid gap-0.5">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-soft">{children}</span>
      </span>
    </li>
  );
}

/** Explains demo runs in a quiet line, and removes them with the demo scenarios. */
function DemoNotice() {
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
    <p className="text-sm text-soft">
      Runs marked “demo” are samples from scripted models.{" "}
      <button type="button" className="link cursor-pointer" onClick={() => setAsking(true)}>
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
          All demo runs and demo scenarios will be deleted permanently.
        </ConfirmDialog>
      )}
    </p>
  );
}
