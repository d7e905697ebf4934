import type { ChatModel, ChatRequest, FailedReply } from "../contract/model.ts";
import { withPromptedTools } from "./prompted-react.ts";

/** How one model uses tools, as its endpoint showed. */
export interface ToolSupportFinding {
  readonly provider: string;
  readonly model_id: string;
  /** `prompted`: the endpoint refused tools, so they are described in the prompt. */
  readonly mode: "native" | "prompted";
  /** Milliseconds since 1970. */
  readonly found_at: number;
}

/** Finds out once for each model whether its endpoint takes tools. */
export interface ToolSupport {
  /** The model, able to use tools one way or the other. */
  wrap(target: { provider: string; model_id: string; model: ChatModel }): ChatModel;
  /** What was found so far, for the page. */
  list(): readonly ToolSupportFinding[];
  /** Asks again next time, after the endpoint was changed. */
  forget(target: { provider: string; model_id: string }): void;
}

const mostFindings = 1000;

/**
 * A call with tools that the endpoint rejects is made once more with the tools in the prompt. When that works, the model
 * is remembered as one without tools; when it fails as well, tools were not the reason and the first failure stands.
 */
export function createToolSupport({ now = Date.now }: { now?: () => number } = {}): ToolSupport {
  const findings = new Map<string, ToolSupportFinding>();
  const keyOf = ({ provider, model_id }: { provider: string; model_id: string }) =>
    JSON.stringify([provider, model_id]);

  const remember = (target: { provider: string; model_id: string }, mode: ToolSupportFinding["mode"]) => {
    const oldest = findings.keys().next();
    if (findings.size >= mostFindings && !oldest.done) findings.delete(oldest.value);
    findings.set(keyOf(target), { provider: target.provider, model_id: target.model_id, mode, found_at: now() });
  };

  return {
    wrap: ({ model, ...target }) => {
      const prompted = withPromptedTools(model);
      const key = keyOf(target);
      return async (request, options) => {
        const known = findings.get(key)?.mode;
        if (known === "prompted") return prompted(request, options);
        const reply = await model(request, options);
        if (known === "native" || !mentionsTools(request)) return reply;
        if (reply.ok) {
          if (request.tools?.length) remember(target, "native");
          return reply;
        }
        if (!mayRefuseTools(reply)) return reply;
        const second = await prompted(request, options);
        if (!second.ok) return reply;
        remember(target, "prompted");
        return second;
      };
    },
    list: () => [...findings.values()],
    forget: (target) => void findings.delete(keyOf(target)),
  };
}

function mentionsTools({ tools, messages }: ChatRequest): boolean {
  return Boolean(tools?.length) || messages.some((message) => message.role === "tool");
}

/** 402 is about money, not about tools. */
function mayRefuseTools({ error }: FailedReply): boolean {
  return error.code === "upstream_rejected" && error.upstream_status !== 402;
}
