import { Check, X } from "lucide-react";
import type { InteractionResult, LabelSource } from "../../src/contract/schemas/interaction-result.ts";
import { formatPercent, formatValue } from "../parts/format.ts";

/** Expected and generated labels, and who generated them. */
export function LabelList({ turn }: { turn: InteractionResult }) {
  const keys = [...new Set([...Object.keys(turn.reference_metadata), ...Object.keys(turn.generated_metadata)])];
  if (keys.length === 0) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-xs font-semibold text-soft">Labels</h3>
      <ul className="grid gap-1 text-sm">
        {keys.map((key) => (
          <LabelItem key={key} name={key} turn={turn} />
        ))}
      </ul>
    </div>
  );
}

function LabelItem({ name, turn }: { name: string; turn: InteractionResult }) {
  // A label may be called as what every object has: toString.
  const own = <T,>(of: Readonly<Record<string, T>>) => (Object.hasOwn(of, name) ? of[name] : undefined);
  const expected = own(turn.reference_metadata);
  const generated = own(turn.generated_metadata);
  const score = turn.scores[`metadata.${name}`];
  const source = own(turn.label_sources);
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
      <span className="verbatim font-medium">{name}</span>
      <Verdict score={score} />
      <span className="verbatim">
        {expected === undefined ? (
          <span className="text-soft">nothing expected</span>
        ) : (
          `expected ${formatValue(expected)}`
        )}
        {", "}
        {generated === undefined ? (
          <span className="text-soft">none generated</span>
        ) : (
          `generated ${formatValue(generated)}`
        )}
      </span>
      {source && <span className="verbatim text-xs text-soft">{describeSource(source)}</span>}
    </li>
  );
}

const labellers = { endpoint: "the endpoint", labeller: "the labeller model", local: "the built-in labeller" } as const;

/** Who gave the label, how, and how sure that is. */
function describeSource({ source, method, confidence }: LabelSource): string {
  const how = method === undefined ? "" : `: ${method}`;
  const sure = confidence === undefined ? "" : ` (${formatPercent(confidence)} sure)`;
  return `by ${labellers[source]}${how}${sure}`;
}

function Verdict({ score }: { score: number | undefined }) {
  if (score === undefined) return null;
  const right = score === 1;
  const Icon = right ? Check : X;
  return (
    <span
      className={`inline-flex items-center gap-0.5 self-center text-xs font-medium ${right ? "text-good" : "text-bad"}`}
    >
      <Icon aria-hidden size={13} />
      {right ? "match" : "differs"}
    </span>
  );
}
