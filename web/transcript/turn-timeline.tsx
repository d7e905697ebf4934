import { useState } from "react";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import type { TurnStep } from "../../src/contract/schemas/acting/turn-steps.ts";
import { formatCount, formatDuration, formatInteger, formatMoney } from "../parts/text/format.ts";
import { JsonText, VerbatimText } from "../parts/text/verbatim-text.tsx";

/** More steps than this are shown on request. */
const maxSteps = 30;
const deepest = 8;

const kinds: Record<TurnStep["kind"], { readonly label: string; readonly color: string }> = {
  tool: { label: "tool", color: "bg-accent" },
  model: { label: "model", color: "bg-good" },
  retrieval: { label: "search", color: "bg-warn" },
  agent: { label: "agent", color: "bg-infra" },
  embedding: { label: "embedding", color: "bg-soft" },
  other: { label: "", color: "bg-line" },
};

/** The steps that the spans of the agent show, on one scale of time. Opened, a step says what it got and gave. */
export function TurnTimeline({ turn }: { turn: InteractionResult }) {
  const [all, setAll] = useState(false);
  const { trace } = turn;
  if (!trace || trace.steps.length === 0) return null;
  const { steps } = trace;
  const total = Math.max(1, ...steps.map(({ start_ms, ms }) => start_ms + ms));
  const depths = depthsOf(steps);
  return (
    <details className="text-sm">
      <summary className="text-soft">
        Timeline: {formatCount(trace.spans, "span")} in {formatDuration(total)}
        {trace.incomplete && ", not all came in time"}
      </summary>
      <ol className="mt-1 grid grid-cols-[minmax(0,1fr)] gap-px" aria-label="Steps of the agent">
        {(all ? steps : steps.slice(0, maxSteps)).map((step) => (
          <li key={step.id}>
            <Step step={step} turn={turn} total={total} depth={depths.get(step.id) ?? 0} />
          </li>
        ))}
      </ol>
      {!all && steps.length > maxSteps && (
        <button type="button" className="button mt-1" onClick={() => setAll(true)}>
          Show all {formatInteger(steps.length)} steps
        </button>
      )}
      <p className="verbatim mt-1 text-xs text-soft">trace {trace.trace_id}</p>
    </details>
  );
}

interface StepProps {
  readonly step: TurnStep;
  readonly turn: InteractionResult;
  readonly total: number;
  readonly depth: number;
}

function Step({ step, turn, total, depth }: StepProps) {
  const { kind, name, error, ms, start_ms } = step;
  const { label, color } = kinds[kind];
  return (
    <details>
      <summary className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_4.5rem] items-center gap-x-2 py-0.5">
        <span className="flex min-w-0 items-baseline gap-x-2" style={{ paddingInlineStart: `${depth * 0.75}rem` }}>
          {label !== "" && <span className="shrink-0 text-xs text-soft">{label}</span>}
          <span className="mono verbatim truncate" title={name}>
            {name}
          </span>
          {error !== undefined && <span className="shrink-0 text-xs font-semibold text-warn">failed</span>}
        </span>
        <span className="relative h-2 rounded-sm bg-ground" aria-hidden>
          <span
            className={`absolute h-2 min-w-px rounded-sm ${color}`}
            style={{ insetInlineStart: `${(100 * start_ms) / total}%`, width: `${(100 * ms) / total}%` }}
          />
        </span>
        <span className="text-right text-xs text-soft tabular-nums">{formatDuration(ms)}</span>
      </summary>
      <StepDetails step={step} turn={turn} />
    </details>
  );
}

function StepDetails({ step, turn }: Pick<StepProps, "step" | "turn">) {
  const { call: index, model, input_tokens, output_tokens, cost, text, passages, error } = step;
  const call = index === undefined ? undefined : turn.tool_calls[index];
  const facts = [
    model,
    input_tokens !== undefined && `${formatInteger(input_tokens)} + ${formatInteger(output_tokens ?? 0)} tokens`,
    cost !== undefined && formatMoney(cost),
    passages !== undefined && formatCount(passages, "passage"),
  ].filter((fact): fact is string => Boolean(fact));
  return (
    <div className="my-1 grid grid-cols-[minmax(0,1fr)] gap-1 border-l-2 border-line pl-3">
      {facts.length > 0 && <p className="verbatim text-xs text-soft">{facts.join(" · ")}</p>}
      {call && !call.arguments_unknown && <JsonText value={call.arguments} label="arguments" />}
      {call?.arguments_unknown && <p className="text-xs text-soft">The span does not say with which arguments.</p>}
      {call?.result !== undefined && <JsonText value={call.result} label="result" />}
      {text !== undefined && <VerbatimText text={text} />}
      {error !== undefined && <p className="verbatim text-warn">{error}</p>}
      {facts.length === 0 && !call && text === undefined && error === undefined && (
        <p className="text-xs text-soft">The span says no more.</p>
      )}
    </div>
  );
}

function depthsOf(steps: readonly TurnStep[]): ReadonlyMap<string, number> {
  const parents = new Map(steps.map(({ id, parent }) => [id, parent]));
  return new Map(
    steps.map(({ id }) => {
      let depth = 0;
      for (let at = parents.get(id); at !== undefined && depth < deepest; at = parents.get(at)) depth += 1;
      return [id, depth];
    }),
  );
}
