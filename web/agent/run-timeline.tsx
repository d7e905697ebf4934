import { Brain, ChevronRight, Loader, ShieldCheck, Wrench, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { formatCount, formatDuration, formatInteger } from "../parts/text/format.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import type { Timeline, TimelineStep } from "./timeline.ts";

type Step<Kind extends TimelineStep["kind"]> = Extract<TimelineStep, { kind: Kind }>;

/** Every step with its bar in time; its content unfolds. */
export function RunTimeline({ timeline: { steps, total }, live }: { timeline: Timeline; live: boolean }) {
  return (
    <ol className="panel grid grid-cols-[minmax(0,1fr)] divide-y divide-line">
      {steps.map((step, index) => (
        <li key={index}>
          <StepItem step={step} total={total} />
        </li>
      ))}
      {live && (
        <li role="status" className="flex items-center gap-2 px-4 py-2.5 text-sm text-accent">
          <Loader aria-hidden size={14} className="animate-spin" /> running
        </li>
      )}
      {!live && steps.length === 0 && <li className="px-4 py-2.5 text-sm text-soft">No steps were recorded.</li>}
    </ol>
  );
}

function StepItem({ step, total }: { step: TimelineStep; total: number }) {
  if (step.kind === "model") return <ModelStep step={step} total={total} />;
  if (step.kind === "tool") return <ToolStep step={step} total={total} />;
  return <ApprovalStep step={step} total={total} />;
}

interface StepFrameProps {
  readonly icon: LucideIcon;
  readonly title: ReactNode;
  readonly note: string;
  readonly failed?: boolean;
  readonly step: TimelineStep;
  readonly total: number;
  readonly children: ReactNode;
}

function StepFrame({ icon: Icon, title, note, failed = false, step, total, children }: StepFrameProps) {
  const { from, duration } = step;
  const left = (100 * from) / total;
  const width = Math.max(0.6, (100 * duration) / total);
  return (
    <details className="group">
      <summary className="grid grid-cols-[auto_auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm hover:bg-sunken md:grid-cols-[auto_auto_minmax(0,1fr)_30%_5rem]">
        <ChevronRight aria-hidden size={14} className="-mr-1 text-soft group-open:rotate-90" />
        <Icon aria-hidden size={15} className={failed ? "text-bad" : "text-soft"} />
        <span className="min-w-0">
          <span className={`verbatim font-medium ${failed ? "text-bad" : ""}`}>{title}</span>{" "}
          <span className="text-soft tabular-nums">{note}</span>
        </span>
        <span aria-hidden className="relative h-2 rounded-full bg-sunken max-md:order-last max-md:col-span-4">
          <span
            className={`absolute inset-y-0 rounded-full ${failed ? "bg-fill-bad" : step.kind === "approval" ? "bg-warn" : step.kind === "tool" ? "bg-fill-good" : "bg-accent"}`}
            style={{ left: `${Math.min(left, 99.4)}%`, width: `${Math.min(width, 100 - Math.min(left, 99.4))}%` }}
          />
        </span>
        <span className="text-right whitespace-nowrap text-soft tabular-nums">{formatDuration(duration)}</span>
      </summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line bg-canvas px-4 py-3 text-sm">
        {children}
      </div>
    </details>
  );
}

function ModelStep({ step, total }: { step: Step<"model">; total: number }) {
  const { call, reply, model_resolved } = step.entry;
  if (reply === null) {
    return (
      <StepFrame icon={Brain} title={`Model call ${call}`} note="cut off" failed step={step} total={total}>
        <p className="text-soft">The run ended during this call.</p>
      </StepFrame>
    );
  }
  if (!reply.ok) {
    return (
      <StepFrame icon={Brain} title={`Model call ${call}`} note="failed" failed step={step} total={total}>
        <p className="verbatim">{reply.error.detail}</p>
        <p className="mono text-soft">
          {reply.error.code}, {formatCount(reply.error.tries, "try", "tries")}
        </p>
      </StepFrame>
    );
  }
  const asked = reply.tool_calls.map(({ name }) => name).join(", ");
  const tokens = reply.usage
    ? `${formatInteger(reply.usage.prompt_tokens)} → ${formatInteger(reply.usage.completion_tokens)} tokens`
    : "tokens unknown";
  return (
    <StepFrame
      icon={Brain}
      title={`Model call ${call}`}
      note={asked === "" ? tokens : `asks for ${asked} · ${tokens}`}
      step={step}
      total={total}
    >
      {reply.reasoning !== undefined && reply.reasoning !== "" && (
        <Part title="Reasoning">
          <VerbatimText text={reply.reasoning} />
        </Part>
      )}
      {(reply.text !== "" || reply.tool_calls.length === 0) && (
        <Part title="Text">
          <VerbatimText text={reply.refusal ?? reply.text} />
        </Part>
      )}
      {reply.tool_calls.map((tool) => (
        <Part key={tool.id} title={`Asks for ${tool.name}`}>
          <CodeText text={tool.arguments} label={`Arguments of ${tool.name}`} />
        </Part>
      ))}
      <p className="text-xs text-soft tabular-nums">
        <span className="mono">{model_resolved}</span> · finish reason {reply.finish_reason}
        {reply.first_token_ms !== null && ` · first token after ${formatDuration(reply.first_token_ms)}`}
        {reply.tries > 1 && ` · ${reply.tries} tries`}
      </p>
    </StepFrame>
  );
}

function ToolStep({ step, total }: { step: Step<"tool">; total: number }) {
  const { name, args, ok, result } = step.entry;
  return (
    <StepFrame
      icon={Wrench}
      title={name}
      note={ok ? "tool call" : "tool call failed"}
      failed={!ok}
      step={step}
      total={total}
    >
      <Part title="Arguments">
        <CodeText text={JSON.stringify(args, null, 2)} label={`Arguments of ${name}`} />
      </Part>
      <Part title={ok ? "Result" : "Error"}>
        <CodeText text={result || "(empty)"} label={`Result of ${name}`} />
      </Part>
    </StepFrame>
  );
}

function ApprovalStep({ step, total }: { step: Step<"approval">; total: number }) {
  const { calls, decisions } = step;
  const names = calls.map(({ name }) => name).join(", ");
  return (
    <StepFrame
      icon={ShieldCheck}
      title="Approval"
      note={`${decisionWord(step)}${names === "" ? "" : `: ${names}`}`}
      step={step}
      total={total}
    >
      <ul className="grid gap-1">
        {calls.map(({ id, name }) => (
          <li key={id} className="verbatim">
            <span className="font-medium">{name}</span>: {decisionText(decisions?.[id])}
          </li>
        ))}
      </ul>
    </StepFrame>
  );
}

type ShownDecisions = NonNullable<Step<"approval">["decisions"]>;

function decisionWord({ calls, decisions }: Step<"approval">): string {
  if (decisions === null) return "waiting";
  const denied = calls.filter(({ id }) => decisionText(decisions[id]).startsWith("denied")).length;
  if (denied === 0) return "given";
  return denied === calls.length ? "denied" : "given in part";
}

function decisionText(decision: ShownDecisions[string] | undefined): string {
  if (decision === undefined) return "not decided yet";
  if (decision === "approve") return "approved";
  if (decision === "deny") return "denied";
  if ("deny" in decision) return `denied: ${decision.deny}`;
  return decision.args ? `approved with ${JSON.stringify(decision.args)}` : "approved";
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
      <h3 className="text-xs font-semibold text-soft">{title}</h3>
      {children}
    </div>
  );
}

function CodeText({ text, label }: { text: string; label: string }) {
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="mono verbatim max-h-80 overflow-auto rounded bg-sunken p-2"
    >
      {text}
    </pre>
  );
}
