import { Hono } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { AgentThreadListQuery, type AgentThreadList } from "../../../contract/schemas/agent-message.ts";
import { validateQuery } from "../../http/body/validate.ts";
import { ownerOf } from "../../http/shell-environment.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { AgentParts } from "../agent-parts.ts";

/** Stored conversations: `x-thread-id` on POST / adds to them. */
export function agentThreadRoutes({ threads }: AgentParts): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>()
    .get("/agent/threads", async (context) => {
      const query = validateQuery(AgentThreadListQuery, context.req.queries());
      const page = await threads.list({ ...query, owner: ownerOf(context) });
      const body: AgentThreadList = { threads: [...page.threads], next_cursor: page.next_cursor };
      return context.json(body);
    })
    .get("/agent/threads/:thread_id", async (context) => {
      const id = context.req.param("thread_id");
      const thread = (await threads.get({ owner: ownerOf(context), id })) ?? unknownThread(id);
      return context.json(holdAnswer(context, thread));
    })
    .delete("/agent/threads/:thread_id", async (context) => {
      const id = context.req.param("thread_id");
      if (!(await threads.remove({ owner: ownerOf(context), id }))) unknownThread(id);
      return context.body(null, 204);
    });
}

function unknownThread(id: string): never {
  throw new ServiceError("not_found", `There is no thread ${JSON.stringify(id.slice(0, 64))}.`, {
    hint: "A thread begins with the first turn that names it in x-thread-id.",
  });
}
