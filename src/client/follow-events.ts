import { pause } from "../base/deadline.ts";
import type { RunEvent } from "../contract/schemas/run.ts";
import { readEvents } from "./read-events.ts";
import { ServiceUnreachable } from "./service-failure.ts";
import { whileAway } from "./while-away.ts";

interface FollowOptions {
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
  /** Where they come from, to be named when they do not come any more. */
  readonly url: string;
  readonly open: (headers: Record<string, string>) => Promise<Response>;
  /** Connections that may break in a row, without an event between them. */
  readonly patience?: number;
  readonly pauseMs?: number;
}

/**
 * The events of a run to its end. A connection that breaks is opened again from the last event seen: nothing is missed or
 * doubled, and a service that is away is waited for. Rejects when it stays away or connections keep breaking: whoever follows must
 * not take a part of a run for all of it.
 */
export async function* followEvents({
  after,
  signal,
  url,
  open,
  patience = 5,
  pauseMs = 500,
}: FollowOptions): AsyncGenerator<RunEvent> {
  let seen = after;
  for (let broken = 0; ; broken += 1) {
    const headers = { accept: "text/event-stream", ...(seen > 0 && { "last-event-id": String(seen) }) };
    const response = await whileAway(() => open(headers), { signal, pauseMs });
    let cause: unknown;
    try {
      for await (const { event, id, data } of readEvents(response)) {
        broken = 0;
        if (id !== undefined) seen = Number(id);
        yield { type: event, ...(id !== undefined && { id: Number(id) }), data: JSON.parse(data) } as RunEvent;
        if (event === "end") return;
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      cause = error;
    }
    if (broken >= patience) {
      const message = `The events from ${url} broke off ${broken + 1} times in a row before the run had ended`;
      throw new ServiceUnreachable(url, { message, cause });
    }
    await pause(pauseMs, signal);
  }
}
