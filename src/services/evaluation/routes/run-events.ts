import { Hono } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { LastEventId } from "../../../contract/schemas/request-headers.ts";
import type { RunEvent } from "../../../contract/schemas/run.ts";
import { requireScope } from "../../http/auth.ts";
import { streamEvents, type ServerEvent } from "../../http/event-stream.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { ownerOf } from "../../http/owner.ts";

/** GET /runs/{run_id}/events: the run live, from the beginning or from where the client left off. */
export function runEventsRoute({ runs, log }: EvaluationDependencies): Hono<ShellEnvironment> {
  return new Hono<ShellEnvironment>().get("/runs/:run_id/events", requireScope("runs:read"), async (context) => {
    const { id } = await runs.get(context.req.param("run_id"), ownerOf(context));
    const after = lastEventId(context.req.header("last-event-id"));
    const left = new AbortController();
    const events = runs.follow(id, { after, signal: left.signal });
    return streamEvents(context, toServerEvents(events), { log, stop: () => left.abort() });
  });
}

export async function* toServerEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<ServerEvent> {
  for await (const event of events) {
    yield { event: event.type, data: event.data, ...(event.type === "interaction" && { id: event.id }) };
  }
}

function lastEventId(header: string | undefined): number {
  if (header === undefined || LastEventId.safeParse(header).success) return Number(header ?? 0);
  throw new ServiceError(
    "header_invalid",
    `Last-Event-ID must be the id of an event, not ${JSON.stringify(header.slice(0, 40))}.`,
  );
}
