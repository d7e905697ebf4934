import type { AgentEvent, AgentListener } from "../../../agent/agent-event.ts";
import type { AgentOutcome } from "../../../agent/agent-outcome.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Turn, TurnEnd, TurnWatcher } from "./turn.ts";

/** Starts the run. What it emits is its own to give; `signal` is how it is cancelled. */
export type StartRun = (wiring: { signal: AbortSignal; onEvent: AgentListener }) => Promise<AgentOutcome>;

/** Runs an agent once for everybody who wants to know about it. */
export function followRun({
  runId,
  stream,
  resolved,
  watchers,
  start,
}: {
  runId: string;
  stream: boolean;
  resolved: () => string;
  watchers: readonly TurnWatcher[];
  start: StartRun;
}): Turn {
  const controller = new AbortController();
  const past: AgentEvent[] = [];
  const listeners: AgentListener[] = [];
  let clients = 0;
  let kept = false;

  const onEvent = (event: AgentEvent) => {
    past.push(event);
    // Words come by the hundred, and no watcher has use for them.
    if (event.type !== "text-delta") for (const watcher of watchers) watcher.onEvent(event);
    for (const listener of listeners) listener(event);
  };
  const end = (how: TurnEnd) => {
    for (const watcher of watchers) watcher.onEnd(how);
  };
  const outcome = start({ signal: controller.signal, onEvent }).then(
    (result) => {
      end({ kind: "outcome", outcome: result });
      return result;
    },
    (error: unknown) => {
      end(controller.signal.aborted ? { kind: "cancelled" } : { kind: "crashed", error });
      throw error;
    },
  );
  // A run that nobody waits for any more may still be cancelled.
  outcome.catch(() => {});

  const leave = () => {
    clients -= 1;
    if (clients === 0 && !kept) controller.abort(new ServiceError("client_closed", "The client went away."));
  };

  return {
    runId,
    stream,
    get resolved() {
      return resolved();
    },
    outcome,
    listen(listener) {
      for (const event of past) listener(event);
      listeners.push(listener);
    },
    watch(client) {
      clients += 1;
      if (client.aborted) leave();
      else client.addEventListener("abort", leave, { once: true });
    },
    keep() {
      kept = true;
    },
  };
}
