import { Hono, type Context } from "hono";
import type { SuccessfulOutcome } from "../../../agent/agent-outcome.ts";
import { fromAgentMessages } from "../../../agent/from-agent-messages.ts";
import { runAgent } from "../../../agent/run-agent.ts";
import { toAgentReply } from "../../../agent/to-agent-reply.ts";
import { AgentRequest } from "../../../contract/agent-message.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { ReplyError } from "../../../contract/model.ts";
import { parseModelId } from "../../../models/routing/parse-model-id.ts";
import { requireScope } from "../../http/auth.ts";
import { readJson } from "../../http/read-json.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { validate } from "../../http/validate.ts";
import type { AgentDependencies } from "../dependencies.ts";

/** POST /: one turn of the agent. The client going away aborts the model and every tool. */
export function agentTurnRoute(dependencies: AgentDependencies): Hono<ShellEnvironment> {
  const { router, tools, limits } = dependencies;

  return new Hono<ShellEnvironment>().post("/", requireScope("agent"), async (context) => {
    const modelId = context.req.header("x-model-id");
    parseModelId(modelId);
    const { messages } = await readRequest(context, dependencies);
    const { model, resolved } = await router.route(modelId);
    const outcome = await runAgent({
      model,
      messages: fromAgentMessages(messages),
      tools,
      limits,
      signal: context.req.raw.signal,
    });
    if (!outcome.ok) throw toServiceError(outcome.error, resolved);
    return context.json(toAgentReply(outcome), 200, { "x-model-resolved": resolved, ...totalsHeaders(outcome) });
  });
}

async function readRequest(
  context: Context<ShellEnvironment>,
  { bodyLimits, maxMessages }: AgentDependencies,
): Promise<AgentRequest> {
  const request = validate(AgentRequest, await readJson(context, bodyLimits));
  const count = request.messages.length;
  if (count <= maxMessages) return request;
  const message = `must hold at most ${maxMessages} messages (REHEARSAL_MAX_MESSAGES)`;
  throw new ServiceError("validation_failed", `/messages ${message}`, {
    errors: [{ pointer: "/messages", code: "too_big", message, received: `${count} messages` }],
  });
}

/** What the whole turn used; the body tells only of its last model call. */
function totalsHeaders({ usage, model_calls, tool_calls }: SuccessfulOutcome): Record<string, string> {
  return {
    "x-usage-input-tokens": String(usage.input_tokens),
    "x-usage-output-tokens": String(usage.output_tokens),
    "x-model-calls": String(model_calls),
    "x-tool-calls": String(tool_calls.length),
  };
}

function toServiceError(error: ReplyError, resolved: string): ServiceError {
  return new ServiceError(error.code, error.detail, {
    headers: { "x-model-resolved": resolved },
    ...(error.retry_after_ms !== undefined && { retryAfterMs: error.retry_after_ms }),
  });
}
