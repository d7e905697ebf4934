import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { formatDuration, formatInteger, formatMoney } from "../parts/format.ts";
import { useModelName } from "../parts/use-model-name.ts";

/** Circumstances of a reply: time, tokens, how it ended. */
export function TurnFacts({ turn }: { turn: InteractionResult }) {
  const nameOf = useModelName();
  const facts = [
    formatDuration(turn.latency_ms),
    turn.first_token_ms !== null && `first token after ${formatDuration(turn.first_token_ms)}`,
    turn.usage && `${formatInteger(turn.usage.input_tokens)} + ${formatInteger(turn.usage.output_tokens)} tokens`,
    typeof turn.cost === "number" && formatMoney(turn.cost),
    turn.finish_reason && `finish: ${turn.finish_reason}`,
    turn.model && nameOf(turn.model),
  ].filter((fact): fact is string => Boolean(fact));
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-soft">
      {facts.map((fact) => (
        <span key={fact} className="break-all">
          {fact}
        </span>
      ))}
    </p>
  );
}
