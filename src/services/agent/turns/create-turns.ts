import { randomUUIDv7 } from "node:crypto";
import type { AgentEvent } from "../../../agent/loop/agent-outcome.ts";
import type { AgentLimits, TokenPrice } from "../../../agent/loop/agent-limits.ts";
import type { AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { AgentRunOptions } from "../../../agent/loop/agent-run.ts";
import { postponedMessages } from "../../../agent/loop/agent-loop.ts";
import { resumeAgent, type ApprovalDecision } from "../../../agent/loop/resume-agent.ts";
import { runAgent } from "../../../agent/loop/agent-loop.ts";
import type { ToolSupport } from "../../../agent/prompted/tool-support.ts";
import type { WaitingRun } from "../../../contract/ports/agent-memory.ts";
import { isStoreFailure } from "../../../contract/errors.ts";
import type { ChatModel } from "../../../contract/ports/chat-model.ts";
import type { RoutedModel, Router } from "../../../models/routing/choose-provider.ts";
import { withFallbacks, type PassedOver } from "../../../models/routing/with-fallbacks.ts";
import { toFallbackError } from "./fallback-error.ts";
import { followRun } from "./follow-run.ts";
import type { ResumeJournal } from "./resume-journal.ts";
import type { StoreTurn } from "./store-turns.ts";
import type { Turn, TurnFacts, TurnObserver, TurnRequest, TurnWatcher } from "./turn.ts";
import type { WaitingState } from "./waiting-state.ts";

/** Whatever can answer a conversation with tools: our own loop, or an agent of another framework. */
export type Runner = (options: AgentRunOptions) => Promise<AgentOutcome>;

interface TurnsOptions {
  readonly router: Router;
  readonly limits: Partial<AgentLimits>;
  readonly runner?: Runner | undefined;
  readonly toolSupport: ToolSupport;
  readonly observers: readonly TurnObserver[];
  /** Called before the turn's outcome is told. */
  readonly store: StoreTurn;
  readonly price?: ((resolved: string) => TokenPrice | undefined) | undefined;
  /** Breaks turns off. One that goes on after a decision is not lost with that: the next process knows how far it came. */
  readonly overdue?: AbortSignal | undefined;
  readonly newId?: () => string;
  readonly now?: () => number;
}

/** Starts runs of the agent. Every wire goes through here. */
export interface Turns {
  /** Rejects with a `ServiceError` when no model can be chosen; nothing was called then. */
  start(request: TurnRequest): Promise<Turn>;
  /** Goes on with a run that waited for approval. Rejects when the decisions do not fit it; nothing has happened then. */
  resume(waiting: WaitingRun<WaitingState>, request: ResumedTurn): Promise<Turn>;
}

interface ResumedTurn extends Omit<TurnRequest, "messages" | "resumed"> {
  readonly runId: string;
  readonly decisions: Readonly<Record<string, ApprovalDecision>>;
  readonly journal: ResumeJournal;
  /** Called when the run has ended without an answer, before that is told. */
  readonly drop: () => Promise<void>;
  /** Called when the store failed the run, which is to wait again. */
  readonly leave: () => void;
}

export function createTurns({
  router,
  limits,
  runner = runAgent,
  toolSupport,
  observers,
  store,
  price,
  overdue,
  newId = randomUUIDv7,
  now = Date.now,
}: TurnsOptions): Turns {
  async function chooseModel({ modelId, fallbacks, adapt, clientTools = [] }: Omit<TurnRequest, "messages">) {
    const routes = await routeAll(router, [modelId, ...fallbacks]);
    let current = routes[0];
    let tell = (_passedOver: PassedOver): void => {};
    const withTools = ({ provider, resolved, model }: RoutedModel) =>
      toolSupport.wrap({ provider, model_id: resolved, model, clientTools: clientTools.length > 0 });
    const usable = routes.map((route) => ({ ...route, model: withTools(route) })) as [RoutedModel, ...RoutedModel[]];
    const chosen: ChatModel =
      usable.length === 1
        ? usable[0].model
        : withFallbacks(
            usable,
            (route) => (current = route),
            (passedOver) => tell(passedOver),
          );
    return {
      model: adapt ? adapt(chosen) : chosen,
      current: () => current,
      onPassedOver: (listener: typeof tell) => void (tell = listener),
    };
  }

  function begin(
    request: TurnRequest,
    { runId, model, current, onPassedOver, run, watcher, decisions = null, earlier = null }: BeginOptions,
  ): Turn {
    const resolved = () => current().resolved;
    const { memory } = request;
    const facts: TurnFacts = {
      ...request,
      runId,
      messages: [...request.messages, ...(request.postponed ? postponedMessages(request.postponed) : [])],
      modelId: request.modelId ?? "",
      startedAt: now(),
      resolved,
      provider: () => current().provider,
      decisions,
      earlier,
    };
    const watchers = [...observers.map((observe) => observe(facts)), ...(watcher ? [watcher] : [])];
    onPassedOver((passedOver) => {
      for (const watcher of watchers) watcher.onPassedOver?.(passedOver);
    });
    const turn = followRun({
      runId,
      stream: request.stream,
      resolved,
      watchers,
      overdue,
      resumable: request.resumed,
      start: async ({ signal, onEvent }) => {
        const ended = await run({
          model: memory ? (asked, options) => model(asked, { ...options, admitBytes: memory.admitReply() }) : model,
          tools: request.tools,
          clientTools: request.clientTools,
          parameters: request.parameters,
          limits,
          price: price && (() => price(resolved())),
          stream: request.stream,
          signal,
          onEvent,
          now,
        });
        const outcome = request.keep ? await request.keep(ended, runId) : ended;
        if (outcome.ok) await store(request, { runId, resolved: resolved(), outcome });
        return outcome;
      },
    });
    memory?.keepDuring(turn.outcome);
    return turn;
  }

  return {
    async start(request) {
      const { model, ...chosen } = await chooseModel(request);
      const run: BeginOptions["run"] = (options) =>
        runner({ ...options, messages: request.messages, postponed: request.postponed });
      return begin(request, { runId: newId(), model, ...chosen, run });
    },
    async resume(waiting, { runId, decisions, journal, drop, leave, ...rest }) {
      const { model, ...chosen } = await chooseModel(rest);
      const { pending } = waiting.state;
      const request = { ...rest, messages: pending.history, resumed: true };
      let started = false;
      const run: BeginOptions["run"] = async ({ onEvent, ...options }) => {
        const listen = (event: AgentEvent) => {
          started = true;
          onEvent?.(event);
        };
        const resumed = resumeAgent({ ...options, onEvent: listen, journal: journal.calls, pending, decisions });
        const outcome = await resumed.catch(async (error: unknown) => {
          if (started && !overdue?.aborted && !isStoreFailure(error)) await drop();
          throw error;
        });
        if (!outcome.ok) await drop();
        return outcome;
      };
      const turn = begin(request, {
        runId,
        model: journal.remember(model),
        ...chosen,
        run,
        decisions,
        earlier: pending.totals,
        watcher: {
          onEvent() {},
          onEnd(end) {
            if (started && end.kind === "crashed" && end.waits) leave();
          },
        },
      });
      // Decisions are checked before anything happens: without a first event they were refused.
      if (!started) await turn.outcome;
      return turn;
    },
  };
}

interface BeginOptions extends Pick<TurnFacts, "runId">, Partial<Pick<TurnFacts, "decisions" | "earlier">> {
  readonly model: ChatModel;
  /** Who answers: another one once a fallback has taken over. */
  readonly current: () => RoutedModel;
  readonly onPassedOver: (listener: (passedOver: PassedOver) => void) => void;
  readonly run: (options: Omit<AgentRunOptions, "messages">) => Promise<AgentOutcome>;
  readonly watcher?: TurnWatcher | undefined;
}

async function routeAll(
  router: Router,
  ids: readonly (string | null | undefined)[],
): Promise<[RoutedModel, ...RoutedModel[]]> {
  const [first, ...others] = ids;
  if (others.length === 0) return [await router.route(first)];
  const routes = await Promise.all([
    router.route(first),
    ...others.map((id) =>
      router.route(id).catch((error: unknown) => {
        throw toFallbackError(error);
      }),
    ),
  ]);
  return routes as [RoutedModel, ...RoutedModel[]];
}
