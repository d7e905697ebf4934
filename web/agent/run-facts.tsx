import { CircleCheck, CircleSlash, CircleX, Loader, ShieldQuestion, type LucideIcon } from "lucide-react";
import type { AgentRunState, AgentRunSummary, AgentWire } from "../../src/contract/schemas/agent/agent-run.ts";
import { formatInteger } from "../parts/text/format.ts";

const looks: Record<AgentRunState, { icon: LucideIcon; label: string; className: string }> = {
  running: { icon: Loader, label: "running", className: "text-accent" },
  waiting: { icon: ShieldQuestion, label: "waits for approval", className: "text-warn" },
  completed: { icon: CircleCheck, label: "completed", className: "text-good" },
  failed: { icon: CircleX, label: "failed", className: "text-bad" },
  cancelled: { icon: CircleSlash, label: "cancelled", className: "text-soft" },
};

export const agentRunStates = Object.keys(looks) as AgentRunState[];

export const agentRunStateLabel = (state: AgentRunState): string => looks[state].label;

export function AgentRunBadge({ state }: { state: AgentRunState }) {
  const { icon: Icon, label, className } = looks[state];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap ${className}`}>
      <Icon aria-hidden size={14} className={state === "running" ? "animate-spin" : ""} /> {label}
    </span>
  );
}

export const wireLabels: Readonly<Record<AgentWire, string>> = {
  agent: "POST /",
  "openai-chat": "OpenAI chat",
  "openai-responses": "OpenAI responses",
  "ai-sdk-ui": "AI SDK",
  "ag-ui": "AG-UI",
  mcp: "MCP",
};

/** "1,204 → 88", or a dash when the provider reported no tokens. */
export const tokensText = ({ usage }: Pick<AgentRunSummary, "usage">): string =>
  usage.total_tokens === 0 ? "–" : `${formatInteger(usage.input_tokens)} → ${formatInteger(usage.output_tokens)}`;

/** A run that has not ended is loaded again until it has. */
export const isUnderWay = (state: AgentRunState): boolean => state === "running" || state === "waiting";
