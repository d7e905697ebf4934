import type { AgentReply } from "../../src/contract/agent-reply.ts";
import { formatDuration, formatInteger } from "../parts/format.ts";

export function AnswerFacts({ reply, milliseconds }: { reply: AgentReply; milliseconds: number }) {
  const { input_tokens: input, output_tokens: output } = reply.usage_metadata;
  const finish = reply.response_metadata.finish_reason;
  return (
    <p className="flex flex-wrap gap-x-3 text-xs text-soft">
      <span>{formatDuration(milliseconds)}</span>
      <span>
        {formatInteger(input)} + {formatInteger(output)} tokens
      </span>
      <span className={finish === "length" ? "font-semibold text-warn" : ""}>
        finish: {finish}
        {finish === "length" && " (cut off)"}
      </span>
      <span className="break-all">{reply.response_metadata.model_name}</span>
      {reply.additional_kwargs.refusal && <span className="text-warn">refused</span>}
    </p>
  );
}
