import { useQueryClient } from "@tanstack/react-query";
import { ClipboardPaste, FlaskConical, Link2, Play, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { removeDemoRuns } from "../api/runs.ts";
import { removeDemoScenarios } from "../api/library.ts";
import { unpinRuns } from "../parts/runs/baselines.tsx";
import { ConfirmDialog } from "../parts/screen/dialogs.tsx";
import { usePageConfig } from "../api/queries.ts";

/** Shown while there are no runs. */
export function FirstSteps() {
  const config = usePageConfig();
  const demo = config.data?.demo ?? false;
  return (
    <section className="grid gap-4" aria-label="First steps">
      <p className="max-w-prose text-soft">
        Rehearse every conversation before your users have it: a run plays scripted scenarios against a model as often
        as you like and scores every reply against its reference.
      </p>
      <div className="grid gap-3 md:grid-cols-3">
        <FirstStepCard
          href="/new?start=demo"
          icon={Play}
          title={demo ? "Run the demo" : "Start from an example"}
          text={
            demo
              ? "Six short conversations against a built-in scripted model. No key, nothing leaves this machine."
              : "Six short conversations to edit. Pick a model and run them."
          }
        />
        <FirstStepCard
          href="/new?start=paste"
          icon={ClipboardPaste}
          title="Paste a scenario"
          text="JSON or JSONL, pasted or from a file. Errors point to the exact line."
        />
        <FirstStepCard
          href="/new?start=endpoint"
          icon={Link2}
          title="Point at your endpoint"
          text="Any OpenAI-compatible endpoint, or a backend with Rehearsal's own POST /."
        />
      </div>
    </section>
  );
}

interface FirstStepCardProps {
  readonly href: string;
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text: string;
}

function FirstStepCard({ href, icon: Icon, title, text }: FirstStepCardProps) {
  return (
    <Link href={href} className="panel grid content-start gap-1.5 p-4 text-ink no-underline hover:border-accent">
      <Icon aria-hidden size={20} className="text-accent" />
      <span className="font-semibold">{title}</span>
      <span className="text-sm text-soft">{text}</span>
    </Link>
  );
}

/** Explains demo runs, and removes them with the demo scenarios. */
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
        Runs marked “demo” are samples from scripted models. Connect a model to see real results.
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
          All demo runs and demo scenarios will be deleted permanently.
        </ConfirmDialog>
      )}
    </div>
  );
}
