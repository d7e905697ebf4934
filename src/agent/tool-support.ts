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

interface Target {
  readonly provider: string;
  readonly model_id: string;
}

/** Finds out for each model whether its endpoint takes tools. */
export interface ToolSupport {
  /**
   * The model, able to use tools one way or the other. `clientTools`: some of the tools are the client's own, which decide
   * nothing for anybody else.
   */
  wrap(target: Target & { readonly model: ChatModel; readonly clientTools?: boolean }): ChatModel;
  /** What was found so far, for the page. */
  list(): readonly ToolSupportFinding[];
  /** Asks again next time, after the endpoint was changed. */
  forget(target: Target): void;
}

const mostFindings = 1000;

/**
 * A call that an endpoint rejects because it takes no tools, or without a word why, is made once more with the tools in the
 * prompt. When that works, the model is remembered as one without tools for a day: the endpoint may have been changed since.
 * Any other rejection is told as it is.
 */
export function createToolSupport({
  now = Date.now,
  maximumAgeMs = 24 * 3600 * 1000,
}: { now?: () => number; maximumAgeMs?: number } = {}): ToolSupport {
  const findings = new Map<string, ToolSupportFinding>();
  const keyOf = ({ provider, model_id }: Target) => JSON.stringify([provider, model_id]);
  const isFresh = ({ found_at }: ToolSupportFinding) => now() - found_at <= maximumAgeMs;

  const known = (target: Target) => {
    const finding = findings.get(keyOf(target));
    return finding && isFresh(finding) ? finding.mode : null;
  };
  const remember = ({ provider, model_id }: Target, mode: ToolSupportFinding["mode"]) => {
    const key = keyOf({ provider, model_id });
    // Taken out first, so that the oldest finding is always the first.
    findings.delete(key);
    const oldest = findings.keys().next();
    if (findings.size >= mostFindings && !oldest.done) findings.delete(oldest.value);
    findings.set(key, { provider, model_id, mode, found_at: now() });
  };

  return {
    wrap: ({ model, clientTools = false, ...target }) => {
      const prompted = withPromptedTools(model);
      return async (request, options) => {
        const mode = known(target);
        if (mode === "prompted") return prompted(request, options);
        const reply = await model(request, options);
        if (reply.ok) {
          if (mode === null && request.tools?.length) remember(target, "native");
          return reply;
        }
        const mayBeTools = reply.error.refuses_tools || (mode === null && !clientTools && isVagueRejection(reply));
        if (!mayBeTools || !mentionsTools(request)) return reply;
        const second = await prompted(request, options);
        if (!second.ok) return reply;
        if (request.tools?.length && !clientTools) remember(target, "prompted");
        return second;
      };
    },
    list: () => [...findings.values()].filter(isFresh),
    forget: (target) => void findings.delete(keyOf(target)),
  };
}

/**
 * Many endpoints reject tools without saying so. Of a model nothing is known about yet, and with tools that are ours and
 * therefore sound, that is worth a try. 402 is about money, and a filter about what was said.
 */
function isVagueRejection({ error }: FailedReply): boolean {
  return error.code === "upstream_rejected" && error.upstream_status !== 402 && !error.refuses_content;
}

function mentionsTools({ tools, messages }: ChatRequest): boolean {
  return Boolean(tools?.length) || messages.some((message) => message.role === "tool");
}
