import { ClipboardPaste, Link2, Play } from "lucide-react";
import { usePageConfig } from "../parts/use-page-config.ts";
import { FirstStepCard } from "./first-step-card.tsx";

/** What a newcomer can do from here. */
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
              : "Six short conversations to change as you like. Pick a model and run them."
          }
        />
        <FirstStepCard
          href="/new?start=paste"
          icon={ClipboardPaste}
          title="Paste a scenario"
          text="JSON or JSONL, pasted or from a file. Mistakes are named with their place."
        />
        <FirstStepCard
          href="/new?start=endpoint"
          icon={Link2}
          title="Point at your endpoint"
          text="Any OpenAI-compatible address, or a backend that speaks Rehearsal's own POST /."
        />
      </div>
    </section>
  );
}
