import { ServiceError } from "../../../contract/errors/errors.ts";
import { deleteAgentThread, getAgentThread, listAgentThreads } from "../../../contract/operations/agent-memory.ts";
import { AgentThread, type AgentThreadList } from "../../../contract/schemas/agent/agent-message.ts";
import { holdAnswer } from "../../http/limits/request-memory.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import type { AgentServices } from "../agent-parts.ts";

/** Stored conversations: `x-thread-id` on POST / adds to them. */
export const agentThreadRoutes: readonly Route<AgentServices>[] = [
  defineRoute(listAgentThreads, ({ threads }: AgentServices) => async ({ context, query, caller }) => {
    const page = await threads.list({ ...query, owner: caller.owner });
    const body: AgentThreadList = { threads: [...page.threads], next_cursor: page.next_cursor };
    return context.json(body);
  }),

  defineRoute(getAgentThread, ({ threads }: AgentServices) => async ({ context, params, caller }) => {
    const id = params.thread_id;
    const thread = (await threads.get({ owner: caller.owner, id })) ?? unknownThread(id);
    // Leaves out the fields that only the store has.
    return context.json(AgentThread.parse(holdAnswer(context, thread)));
  }),

  defineRoute(deleteAgentThread, ({ threads }: AgentServices) => async ({ context, params, caller }) => {
    const id = params.thread_id;
    if (!(await threads.remove({ owner: caller.owner, id }))) unknownThread(id);
    return context.body(null, 204);
  }),
];

function unknownThread(id: string): never {
  throw new ServiceError("not_found", `There is no thread ${JSON.stringify(id.slice(0, 64))}.`, {
    hint: "A thread begins with the first turn that names it in x-thread-id.",
  });
}
