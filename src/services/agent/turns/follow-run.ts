import type { AgentEvent, AgentListener } from "../../../agent/loop/agent-outcome.ts";
import type { AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors.ts";
import type { Turn, TurnEnd, TurnWatcher } from "./turn.ts";

/** Starts the run. What it emits is its own to give; `signal` is how it is cancelled. */
type StartRun = (wiring: { signal: AbortSignal; onEvent: AgentListener }) => Promise<AgentOutcome>;

interface RunToFollow {
  readonly runId: string;
  readonly stream: boolean;
  readonly resolved: () => string;
  readonly watchers: readonly TurnWatcher[];
  readonly start: StartRun;
  /** Breaks the run off, whoever waits for it. */
  readonly overdue?: AbortSignal | undefined;
  /** One can go on with a run that was broken off so, or that the store failed. */
  readonly resumable?: boolean | undefined;
}

/** Runs an agent once for everybody who wants to know about it. */
export function followRun(run: RunToFollow): Turn {
  return new FollowedRun(run);
}

// A class for its getter: see `Deadline`.
class FollowedRun implements Turn {
  readonly runId: string;
  readonly stream: boolean;
  readonly outcome: Promise<AgentOutcome>;
  readonly #resolved: () => string;
  readonly #watchers: readonly TurnWatcher[];
  readonly #overdue: AbortSignal | undefined;
  readonly #resumable: boolean;
  readonly #controller = new AbortController();
  readonly #past: AgentEvent[] = [];
  readonly #listeners = new Set<AgentListener>();
  #clients = 0;

  constructor({ runId, stream, resolved, watchers, start, overdue, resumable = false }: RunToFollow) {
    this.runId = runId;
    this.stream = stream;
    this.#resolved = resolved;
    this.#watchers = watchers;
    this.#overdue = overdue;
    this.#resumable = resumable;
    overdue?.addEventListener("abort", this.#breakOff, { once: true });
    if (overdue?.aborted) this.#breakOff();
    this.outcome = this.#follow(start);
    // A run that nobody waits for any more may still be cancelled.
    this.outcome.catch(() => {});
  }

  get resolved(): string {
    return this.#resolved();
  }

  listen(listener: AgentListener): () => void {
    for (const event of this.#past) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  watch(client: AbortSignal): void {
    this.#clients += 1;
    if (client.aborted) this.#leave();
    else client.addEventListener("abort", () => this.#leave(), { once: true });
  }

  #follow(start: StartRun): Promise<AgentOutcome> {
    const { signal } = this.#controller;
    return start({ signal, onEvent: (event) => this.#tell(event) }).then(
      (outcome) => {
        this.#end({ kind: "outcome", outcome });
        return outcome;
      },
      (error: unknown) => {
        const isLeft = this.#resumable && this.#overdue?.aborted && signal.reason === this.#overdue.reason;
        const waits = this.#resumable && isStoreFailure(error);
        this.#end(signal.aborted ? { kind: isLeft ? "left" : "cancelled" } : { kind: "crashed", error, waits });
        throw error;
      },
    );
  }

  #tell(event: AgentEvent): void {
    this.#past.push(event);
    // Words come by the hundred, and no watcher has use for them.
    const isWord = event.type === "text-delta" || event.type === "reasoning-delta";
    if (!isWord) for (const watcher of this.#watchers) watcher.onEvent(event);
    for (const listener of this.#listeners) listener(event);
  }

  readonly #breakOff = (): void => this.#controller.abort(this.#overdue?.reason);

  #end(how: TurnEnd): void {
    this.#overdue?.removeEventListener("abort", this.#breakOff);
    for (const watcher of this.#watchers) watcher.onEnd(how);
  }

  #leave(): void {
    this.#clients -= 1;
    if (this.#clients > 0) return;
    this.#controller.abort(new ServiceError("client_closed", "The client went away."));
  }
}
