import type { AgentLimits, TokenPrice } from "../../../agent/loop/agent-limits.ts";
import { postponedMessages } from "../../../agent/loop/agent-loop.ts";
import type { AgentEvent, AgentListener, AgentOutcome, PendingRun } from "../../../agent/loop/agent-outcome.ts";
import type { AgentRunOptions } from "../../../agent/loop/agent-run.ts";
import { resumeAgent, type ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors.ts";
import type { ChatModel } from "../../../contract/ports/chat-model.ts";
import type { RoutedModel } from "../../../models/routing/router.ts";
import { withFallbacks } from "../../../models/routing/with-fallbacks.ts";
import type { TurnRoutes } from "./route-models.ts";
import type { ResumeJournal } from "./resume-journal.ts";
import type { StoreTurn } from "./store-turns.ts";
import type { Turn, TurnEnd, TurnFacts, TurnObserver, TurnRequest, TurnWatcher } from "./turn.ts";

/** Answers a conversation with tools: the built-in loop, or an agent of another framework. */
export type Runner = (options: AgentRunOptions) => Promise<AgentOutcome>;

/** Settings that all turns of a service share. */
export interface TurnSettings {
  readonly runner: Runner;
  readonly limits: Partial<AgentLimits>;
  readonly price: ((resolved: string) => TokenPrice | undefined) | undefined;
  readonly observers: readonly TurnObserver[];
  /** Stores the result before the outcome is reported. */
  readonly store: StoreTurn;
  /** Aborts when the process stops and no longer waits for running turns. */
  readonly overdue: AbortSignal;
  readonly now: () => number;
}

/** A run that waited for approval, with the decisions that let it continue. */
export interface Resumption {
  readonly pending: PendingRun;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly journal: ResumeJournal;
  /** Removes the waiting run: it ended without an answer. */
  readonly drop: () => Promise<void>;
  /** Lets the run wait again: the store failed while it continued. */
  readonly giveBack: () => void;
}

interface AgentTurnOptions {
  readonly runId: string;
  readonly routes: TurnRoutes;
  readonly settings: TurnSettings;
  readonly resumption?: Resumption;
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
  readonly #resumption: Resumption | null;
  readonly #watchers: readonly TurnWatcher[];
  readonly #controller = new AbortController();
  readonly #events: AgentEvent[] = [];
  readonly #listeners = new Set<AgentListener>();
  #route: RoutedModel;
  #clients = 0;

  constructor(request: TurnRequest, { runId, routes, settings, resumption }: AgentTurnOptions) {
    const { observers, overdue } = settings;
    this.runId = runId;
    this.stream = request.stream;
    this.#request = request;
    this.#settings = settings;
    this.#resumption = resumption ?? null;
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
      (error: unknown) => {
        this.#end(this.#failure(error));
        throw error;
      },
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

  #facts(): TurnFacts {
    const request = this.#request;
    return {
      ...request,
      runId: this.runId,
      messages: [...request.messages, ...(request.postponed ? postponedMessages(request.postponed) : [])],
      modelId: request.modelId ?? "",
      startedAt: this.#settings.now(),
      resolved: () => this.#route.resolved,
      provider: () => this.#route.provider,
      decisions: this.#resumption?.decisions ?? null,
      earlier: this.#resumption?.pending.totals ?? null,
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
    const model = this.#resumption ? this.#resumption.journal.remember(adapted) : adapted;
    return memory ? (asked, options) => model(asked, { ...options, admitBytes: memory.admitReply() }) : model;
  }

  async #run(model: ChatModel): Promise<AgentOutcome> {
    const { tools, clientTools, parameters, stream, messages, postponed, keep } = this.#request;
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
    const resumption = this.#resumption;
    const ended = await (resumption ? this.#resume(resumption, options) : runner({ ...options, messages, postponed }));
    const outcome = keep ? await keep(ended, this.runId) : ended;
    if (outcome.ok) {
      const { runId, resolved } = this;
      await store(this.#request, { runId, resolved, outcome, resumed: resumption !== null });
    }
    return outcome;
  }

  async #resume(
    { pending, decisions, journal, drop }: Resumption,
    options: Omit<AgentRunOptions, "messages">,
  ): Promise<AgentOutcome> {
    const resumed = resumeAgent({ ...options, journal: journal.calls, pending, decisions });
    const outcome = await resumed.catch(async (error: unknown) => {
      if (this.hasStarted && !this.#settings.overdue.aborted && !isStoreFailure(error)) await drop();
      throw error;
    });
    if (!outcome.ok) await drop();
    return outcome;
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
    const isResumed = this.#resumption !== null;
    if (!signal.aborted) return { kind: "crashed", error, resumable: isResumed && isStoreFailure(error) };
    const { overdue } = this.#settings;
    const isInterrupted = isResumed && overdue.aborted && signal.reason === overdue.reason;
    return { kind: isInterrupted ? "interrupted" : "cancelled" };
  }

  #end(end: TurnEnd): void {
    this.#settings.overdue.removeEventListener("abort", this.#breakOff);
    for (const watcher of this.#watchers) watcher.onEnd(end);
    if (end.kind === "crashed" && end.resumable && this.hasStarted) this.#resumption?.giveBack();
  }

  readonly #breakOff = (): void => this.#controller.abort(this.#settings.overdue.reason);

  #leave(): void {
    this.#clients -= 1;
    if (this.#clients > 0) return;
    this.#controller.abort(new ServiceError("client_closed", "The client went away."));
  }
}
