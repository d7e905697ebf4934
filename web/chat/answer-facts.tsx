import { formatDuration, formatInteger, formatMoney } from "../parts/format.ts";
import { useModelName } from "../parts/use-model-name.ts";
import type { DoneAnswer } from "./conversation.ts";

export function AnswerFacts({ answer }: { answer: DoneAnswer }) {
  const { reply, milliseconds, cost, total } = answer;
  const nameOf = useModelName();
  const { input_tokens: input, output_tokens: output } = total ?? reply.usage_metadata;
  const finish = reply.response_metadata.finish_reason;
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-soft">
      <span>{formatDuration(milliseconds)}</span>
      {input + output > 0 && (
        <span>
          {formatInteger(input)} + {formatInteger(output)} tokens
          {total && total.model_calls > 1 && ` in ${formatInteger(total.model_calls)} calls`}
        </span>
      )}
      <span className={finish === "length" ? "font-semibold text-warn" : ""}>
        finish: {finish}
        {finish === "length" && " (cut off)"}
      </span>
      {cost !== null && <span>{formatMoney(cost)}</span>}
      <span className="break-all">{nameOf(reply.response_metadata.model_name)}</span>
      {reply.additional_kwargs.refusal && <span className="text-warn">refused</span>}
    </p>
  );
}
