import type { AgentLimits, TokenPrice } from "../../../agent/tools/agent-limits.ts";
import { postponedMessages } from "../../../agent/loop/agent-loop.ts";
import type { AgentEvent, AgentListener, AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { AgentRunOptions } from "../../../agent/loop/agent-run.ts";
import { resumeAgent } from "../../../agent/loop/resume-agent.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors/errors.ts";
import type { ChatModel } from "../../../contract/ports/chat-model.ts";
import type { RoutedModel } from "../../../models/routing/router.ts";
import { withFallbacks } from "../../../models/routing/with-fallbacks.ts";
import type { TurnRoutes } from "./route-models.ts";
import { toCrashedTurn, toFailedTurn, type FailedTurn, type TurnStore } from "./store-turns.ts";
import type { StoredRun } from "./stored-run.ts";
import type { Turn, TurnEnd, AgentTurnFacts, TurnObserver, TurnRequest, TurnWatcher } from "./turn.ts";

/** Answers a conversation with tools: the built-in loop, or an agent of another framework. */
export type Runner = (options: AgentRunOptions) => Promise<AgentOutcome>;

/** Settings that all turns of a service share. */
export interface TurnSettings {
  readonly runner: Runner;
  readonly limits: Partial<AgentLimits>;
  readonly price: ((resolved: string) => TokenPrice | undefined) | undefined;
  readonly observers: readonly TurnObserver[];
  /** Stores the result before the outcome is reported. */
  readonly store: TurnStore;
  /** Aborts when the process stops and no longer waits for running turns. */
  readonly overdue: AbortSignal;
  readonly now: () => number;
}

interface AgentTurnOptions {
  readonly runId: string;
  readonly routes: TurnRoutes;
  readonly settings: TurnSettings;
  /** Set for a run that survives its process. */
  readonly stored?: StoredRun | undefined;
}

/**
 * Owns the state of one run from its start to its stored result: the model in use, the events so far, the clients that wait, and
 * the way it is cancelled. Everything else sees it through the `Turn` interface.
 */
export class AgentTurn implements Turn {
  readonly runId: string;
  readonly stream: boolean;
  readonly outcome: Promise<AgentOutcome>;
  readonly #request: TurnRequest;
  readonly #settings: TurnSettings;
  readonly #stored: StoredRun | null;
  readonly #watchers: readonly TurnWatcher[];
  readonly #controller = new AbortController();
  readonly #events: AgentEvent[] = [];
  readonly #listeners = new Set<AgentListener>();
  #route: RoutedModel;
  #clients: number;

  constructor(request: TurnRequest, { runId, routes, settings, stored }: AgentTurnOptions) {
    const { observers, overdue } = settings;
    this.runId = runId;
    this.stream = request.stream;
    this.#request = request;
    this.#settings = settings;
    this.#stored = stored ?? null;
    // Such a turn goes on without its clients.
    this.#clients = request.isAsync || stored?.recovered ? 1 : 0;
    this.#route = routes[0];
    const facts = this.#facts();
    this.#watchers = observers.map((observe) => observe(facts));
    overdue.addEventListener("abort", this.#breakOff, { once: true });
    if (overdue.aborted) this.#breakOff();
    this.outcome = this.#run(this.#model(routes)).then(
      (outcome) => {
        this.#end({ kind: "outcome", outcome });
        return outcome;
      },
      (error: unknown) => this.#crash(error),
    );
    // A cancelled run may have no client left that handles the rejection.
    this.outcome.catch(() => {});
    request.memory?.keepDuring(this.outcome);
  }

  get resolved(): string {
    return this.#route.resolved;
  }

  /** False until the first event. A resumed run checks its decisions before that. */
  get hasStarted(): boolean {
    return this.#events.length > 0;
  }

  listen(listener: AgentListener): () => void {
    for (const event of this.#events) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  watch(client: AbortSignal): void {
    this.#clients += 1;
    if (client.aborted) this.#leave();
    else client.addEventListener("abort", () => this.#leave(), { once: true });
  }

  cancel(): void {
    this.#controller.abort(new ServiceError("run_cancelled", `The run ${this.runId} was cancelled.`));
  }

  #facts(): AgentTurnFacts {
    const request = this.#request;
    const stored = this.#stored;
    return {
      ...request,
      runId: this.runId,
      messages: [...request.messages, ...(request.postponed ? postponedMessages(request.postponed) : [])],
      modelId: request.modelId ?? "",
      startedAt: stored?.startedAt ?? this.#settings.now(),
      resolved: () => this.#route.resolved,
      provider: () => this.#route.provider,
      decisions: stored?.resumed?.decisions ?? null,
      earlier: stored?.resumed?.pending.totals ?? null,
      recovered: stored?.recovered ?? false,
    };
  }

  #model(routes: TurnRoutes): ChatModel {
    const { adapt = (model) => model, memory } = this.#request;
    const routed =
      routes.length === 1
        ? routes[0].model
        : withFallbacks(
            routes,
            (route) => (this.#route = route),
            (passedOver) => {
              for (const watcher of this.#watchers) watcher.onPassedOver?.(passedOver);
            },
          );
    const adapted = adapt(routed);
    const restore = (resolved: string): void => {
      this.#route = routes.find((route) => route.resolved === resolved) ?? this.#route;
    };
    const model = this.#stored?.journal.remember(adapted, { resolved: () => this.resolved, restore }) ?? adapted;
    return memory ? (asked, options) => model(asked, { ...options, admitBytes: memory.admitReply() }) : model;
  }

  async #run(model: ChatModel): Promise<AgentOutcome> {
    const { tools, clientTools, parameters, stream, keep } = this.#request;
    const { runner, limits, price, store, now } = this.#settings;
    const options = {
      model,
      tools,
      clientTools,
      parameters,
      limits,
      price: price && (() => price(this.resolved)),
      stream,
      signal: this.#controller.signal,
      onEvent: (event: AgentEvent) => this.#publish(event),
      now,
    };
    const ended = await this.#execute(runner, options);
    const outcome = keep ? await keep(ended, this.runId) : ended;
    const stored = this.#stored;
    const { runId, resolved } = this;
    if (stored) await this.#announce({ kind: "outcome", outcome });
    if (outcome.ok) {
      const isKept = await store.answer(this.#request, { runId, resolved, outcome, isStored: stored !== null });
      if (!isKept) stored?.giveBack();
    } else if (stored) await this.#fail(toFailedTurn(outcome));
    return outcome;
  }

  #execute(runner: Runner, options: Omit<AgentRunOptions, "messages">): Promise<AgentOutcome> {
    const { messages, postponed } = this.#request;
    const stored = this.#stored;
    if (!stored) return runner({ ...options, messages, postponed });
    const journal = stored.journal.calls;
    if (stored.resumed) return resumeAgent({ ...options, journal, ...stored.resumed });
    return runner({ ...options, messages, postponed, journal });
  }

  async #crash(error: unknown): Promise<never> {
    const end = this.#failure(error);
    // Refused decisions change nothing: the run keeps waiting.
    const isOpen = this.#stored !== null && (this.hasStarted || !this.#stored.resumed);
    const isLasting = end.kind === "cancelled" || (end.kind === "crashed" && !end.resumable);
    let isReturned = isStoreFailure(error);
    if (isOpen && isLasting) {
      await this.#announce(end);
      const calledTools = this.#events.some(({ type }) => type === "tool-start");
      await this.#fail(toCrashedTurn(error, { calledTools })).catch((failure: unknown) => {
        isReturned = isStoreFailure(failure);
      });
    }
    this.#end(end);
    if (isOpen && isReturned) this.#stored?.giveBack();
    throw error;
  }

  #fail(failure: FailedTurn): Promise<void> {
    const { runId, resolved } = this;
    const failed = { ...failure, calledTools: failure.calledTools || this.#stored?.journal.calledTools === true };
    return this.#settings.store.fail(this.#request, { runId, resolved, failed, isStored: true });
  }

  async #announce(end: TurnEnd): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.onEnding?.(end)));
  }

  #publish(event: AgentEvent): void {
    this.#events.push(event);
    // Deltas arrive by the hundred, and no watcher needs them.
    const isDelta = event.type === "text-delta" || event.type === "reasoning-delta";
    if (!isDelta) for (const watcher of this.#watchers) watcher.onEvent(event);
    for (const listener of this.#listeners) listener(event);
  }

  #failure(error: unknown): TurnEnd {
    const { signal } = this.#controller;
    const stored = this.#stored;
    if (stored && isHandedOn(error)) return { kind: "interrupted" };
    if (signal.aborted) {
      const { overdue } = this.#settings;
      const isInterrupted = stored !== null && overdue.aborted && signal.reason === overdue.reason;
      return { kind: isInterrupted ? "interrupted" : "cancelled" };
    }
    if (error instanceof ServiceError && error.code === "run_cancelled") return { kind: "cancelled" };
    const isLeft = stored !== null && isStoreFailure(error);
    // An accepted turn is finished when the store is back, without its client.
    return isLeft && !stored.resumed ? { kind: "interrupted" } : { kind: "crashed", error, resumable: isLeft };
  }

  #end(end: TurnEnd): void {
    this.#settings.overdue.removeEventListener("abort", this.#breakOff);
    for (const watcher of this.#watchers) watcher.onEnd(end);
  }

  readonly #breakOff = (): void => this.#controller.abort(this.#settings.overdue.reason);

  #leave(): void {
    this.#clients -= 1;
    if (this.#clients > 0) return;
    this.#controller.abort(new ServiceError("client_closed", "The client went away."));
  }
}

/** True when another process has the run, or the next one will. */
function isHandedOn(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return ["run_not_finished", "idempotency_in_progress", "shutting_down"].includes(error.code);
}
