import { compact } from "../../base/compact.ts";
import { isLocalTarget, callReporting } from "../../contract/schemas/acting/target.ts";
import type { ClaimedAttempt, Queue } from "../../contract/ports/queue.ts";
import {
  worldEntries,
  type JournalEntry,
  type JournalPart,
  type SimulatorAnswer,
  type WorldEntry,
} from "../../contract/ports/journal.ts";
import type { NewTurn, Store, StoredInteraction } from "../../contract/ports/store.ts";
import type { StoredReply, StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { scoringVersion } from "../../contract/schemas/scores/score.ts";
import type { UserEnd } from "../../contract/schemas/acting/user-turn.ts";
import { toUsage, type HelperUsage } from "../../contract/schemas/shared/usage.ts";
import type { AttemptHistory } from "../../evaluation/conversation/conversation.ts";
import type { JudgeQuestion } from "../../evaluation/judges/judge-question.ts";
import { judgeConversation } from "../../evaluation/judges/judge-replies.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "../../evaluation/helpers/helper-usage.ts";
import { spentByHelper } from "../../evaluation/budget/budget.ts";
import {
  maxReferenceConcurrency,
  runAttempt,
  type AttemptOptions,
  type AttemptWorld,
} from "../../evaluation/attempts/run-attempt.ts";
import { failedTurnReply } from "../../evaluation/conversation/stored-reply.ts";
import { createAttemptUser, type AttemptUser } from "../../evaluation/simulation/attempt-user.ts";
import { reviewUser, spoiledByUser, withoutScores, withUserEnd } from "../../evaluation/simulation/conclude-user.ts";
import { countJournal } from "../../evaluation/world/limits.ts";
import type { PreparedWorld } from "../../evaluation/world/world.ts";
import { judgeOutcome, undecidedOutcome, withOutcome } from "../../evaluation/outcomes/judge-outcome.ts";
import type { JudgedSetting } from "../../evaluation/judges/judge-material.ts";
import { judgedSetting, scoreInteraction } from "../../evaluation/score-interaction.ts";
import { success } from "../../scoring/scorers/scores.ts";
import type { TurnJudge } from "../../evaluation/scoring.ts";
import { publicErrorMessage } from "../../base/format.ts";
import { firstHistory, passOf } from "../stored/passes.ts";
import { isTransient, LeaseLost } from "../stored/attempt-errors.ts";
import { attemptCalls, type AttemptCalls, type CallReservation } from "./call-reservations.ts";
import type { RunContext } from "./run-context.ts";
import { outcomeStates } from "./run-worlds.ts";
import { retryStoreWrite, type StoreRetryOptions } from "../stored/store-outage.ts";
import { AttemptSpans } from "./attempt-spans.ts";
import { createTranscript, type AttemptTranscript } from "../stored/transcript.ts";

interface ExecuteOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly context: RunContext;
  readonly signal: AbortSignal;
  readonly onStored: () => void;
  /** Called when only quick work is left: local scoring of the last reply, and storing the end. */
  readonly onEnding?: () => void;
  /** Called with the error of a reply that could not be scored. */
  readonly onError: (error: unknown) => void;
  /** Called each time the store refuses a write. The attempt keeps the result and waits until the store accepts it. */
  readonly onRefused: StoreRetryOptions["onRefused"];
}

interface ExecuteOutcome {
  readonly finished: boolean;
  /** True when it was the last attempt of its run. */
  readonly run_drained: boolean;
}

/**
 * Executes a claimed attempt from its first missing turn to its end. A reply is stored before the next call starts and before other
 * models score it. Replies that a dead worker left without scores are scored, not requested again.
 */
export async function executeAttempt(claimed: ClaimedAttempt, options: ExecuteOptions): Promise<ExecuteOutcome> {
  const { store, context } = options;
  const execution = new AttemptExecution(claimed, options);
  await context.ledger?.refresh();
  try {
    // A first try has no stored turns to restore.
    if (claimed.tries > 1) await execution.restore(await store.interactions.ofAttempt(claimed.lease.attempt_id));
    // A comparison that is over needs no more calls; the attempt ends with the turns it has.
    if ((await context.sequence?.admit(claimed.scenario_index, options.signal)) !== false) {
      await execution.reuse();
      await execution.run();
    }
  } catch (error) {
    // Errors after the end was stored, such as an abort, do not matter.
    if (!execution.outcome) throw error;
  } finally {
    execution.close();
  }
  const outcome = execution.outcome ?? (await execution.finish());
  context.sequence?.changed();
  return outcome;
}

type ScoredReply = NewTurn & { readonly scores: StoredScores };

/** How old the known spend of other processes may become. */
const maxSpendAgeMs = 250;

/** One attempt in progress: its turns in one or two passes, then the verdict on the conversation if the run asks for it. */
class AttemptExecution {
  readonly #claimed: ClaimedAttempt;
  readonly #options: ExecuteOptions;
  readonly #scenario: Scenario;
  readonly #transcript: AttemptTranscript;
  /** The number of turns of the scenario. */
  readonly #turns: number;
  /** True when nothing follows the first pass but spans that come late. */
  readonly #isConcludedByTurns: boolean;
  /** True when scoring calls no model and takes only moments. */
  readonly #scoresLocally: boolean;
  /** Null when the scenario has no world. */
  readonly #world: PreparedWorld | null;
  /** The stored steps of turns in a world, by turn. */
  readonly #journal = new Map<number, JournalPart[]>();
  readonly #countJournal: ReturnType<typeof countJournal>;
  /** Null for a run from before traces. */
  readonly #spans: AttemptSpans | null;
  /** Null for a run without a budget. */
  readonly #calls: AttemptCalls | null;
  #reservation: CallReservation | undefined;
  /** Calls that the ledger admitted and that have no reply yet. */
  #callsInFlight = 0;
  /** True when a pass has failed, so that the other one starts no more calls. */
  #isStopped = false;
  /** Null until the end is stored. */
  outcome: ExecuteOutcome | null = null;

  constructor(claimed: ClaimedAttempt, options: ExecuteOptions) {
    const { settings, ledger, scoring, conversationJudge } = options.context;
    const { judge, modelLabeller, semantic, custom } = scoring;
    this.#claimed = claimed;
    this.#options = options;
    this.#scenario = scenarioAt(options.context, claimed.scenario_index);
    this.#transcript = createTranscript(this.#scenario, settings);
    this.#world = options.context.worldOf(this.#scenario);
    this.#countJournal = options.context.countJournal ?? countJournal();
    this.#turns = this.#scenario.interactions.length;
    const { spans, priceOf } = options.context;
    this.#spans = spans ? new AttemptSpans(spans, { claimed, scenarioId: this.#scenario.id, priceOf }) : null;
    const { expect, user } = this.#scenario;
    const isConcluded = conversationJudge !== null || expect !== undefined || user !== undefined;
    this.#isConcludedByTurns = settings.history !== "both" && !settings.replay_first_bad_turn && !isConcluded;
    this.#scoresLocally = !judge && !modelLabeller && !semantic && custom.length === 0;
    this.#calls = ledger && attemptCalls(this.#scenario, settings);
  }

  /** Takes over the turns of an earlier try, and scores those without scores. */
  async restore(stored: readonly StoredInteraction[]): Promise<void> {
    const { replies, scored } = this.#transcript;
    const { store } = this.#options;
    const journal =
      this.#world || this.#scenario.user ? await store.journal.ofAttempt(this.#claimed.lease.attempt_id) : [];
    for (const part of journal) {
      this.#countJournal(part.entries);
      this.#partsOf(part.turn_index).push(part);
    }
    for (const { turn_index, reply } of stored) {
      replies.set(turn_index, reply);
      const from = turn_index < this.#turns ? 0 : this.#turns;
      if (!reply.reused) this.#spans?.restore(passNamed(from), turn_index - from, reply);
    }
    for (const { turn_index, reply, scores } of stored) {
      scored.set(turn_index, scores ?? (await this.#restoreScores(turn_index, reply)));
    }
  }

  /** Takes the replies of an earlier run, if there are some, and scores them. An attempt that has begun to ask asks on. */
  async reuse(): Promise<void> {
    const { context, onStored } = this.#options;
    const { scenario_index, attempt } = this.#claimed;
    const { replies, scored } = this.#transcript;
    if (!context.reuse || replies.values().some(({ reused }) => !reused)) return;
    const found = await context.reuse.find(scenario_index, attempt);
    if (!found) return;
    for (const { turn_index, number, entries } of found.journal)
      if (number >= this.#partsOf(turn_index).length) await this.#appendToJournal(turn_index, entries);
    for (const { turn_index, reply } of found.turns) replies.set(turn_index, reply);
    for (const { turn_index, reply } of found.turns) {
      if (scored.has(turn_index)) continue;
      const turn = await (this.#scoresLocally
        ? this.#storeScored(turn_index, reply)
        : this.#storeThenScore(turn_index, reply));
      scored.set(turn_index, turn.scores);
      context.ledger?.stored({ scenario_index, attempt, ...turn });
      onStored();
    }
  }

  /** True when the last turn and the end are stored together. */
  get #endsWithTurns(): boolean {
    const { spans } = this.#options.context;
    return this.#isConcludedByTurns && !spans?.areDeclared && !spans?.wereSeen;
  }

  async run(): Promise<void> {
    const { signal, context } = this.#options;
    if (this.outcome) return;
    const { settings, ledger } = context;
    if (this.#calls) this.#reservation = await ledger?.reserve(this.#calls.left(this.#transcript.scored), signal);
    const [first] = await this.#runPasses([
      this.#runPass({ from: 0, history: firstHistory(settings) }),
      ...(settings.history === "both" ? [this.#runPass({ from: this.#turns, history: "reference" })] : []),
    ]);
    if (!first?.completed) return;
    await this.#attachLateSpans();
    if (settings.replay_first_bad_turn && settings.history !== "both") {
      const only = this.#transcript.toReplay();
      if (only.length > 0) {
        await this.#runPass({ from: this.#turns, history: "reference", only });
        await this.#attachLateSpans();
      }
    }
    await (first.end ? this.#concludeUser(first.end) : this.#judgeWhole());
  }

  /** Stores the end of the attempt, with its last turn if given: one write instead of two. */
  async finish(turn?: ScoredReply): Promise<ExecuteOutcome> {
    const { queue, context, onEnding } = this.#options;
    const { lease, scenario_index, attempt } = this.#claimed;
    if (turn) this.#transcript.scored.set(turn.turn_index, turn.scores);
    onEnding?.();
    const end = compact({ average_scores: this.#transcript.averages(), turn });
    const outcome = await this.#retryStore(() => queue.finish(lease, end));
    if (turn && !outcome.finished) throw leaseLost();
    if (outcome.finished) {
      const interactions = this.#transcript.stored(lease.attempt_id);
      context.figures.add({ scenario_index, attempt, interactions });
    }
    return (this.outcome = outcome);
  }

  /** Settles calls that were aborted, and releases the reservation. */
  close(): void {
    for (; this.#callsInFlight > 0; this.#callsInFlight--) this.#options.context.ledger?.settle();
    this.#reservation?.release();
  }

  /** When one pass fails, the other starts no more calls; its calls in flight are kept while the lease is held. */
  async #runPasses<Pass>(passes: readonly Promise<Pass>[]): Promise<Pass[]> {
    const stopping = passes.map((pass) =>
      pass.catch((error: unknown) => {
        this.#isStopped = true;
        throw error;
      }),
    );
    await Promise.allSettled(stopping);
    return Promise.all(stopping);
  }

  #runPass({ from, history, only }: { from: number; history: AttemptHistory; only?: readonly number[] }) {
    const { context, signal } = this.#options;
    const { settings } = context;
    return runAttempt({
      scenario: this.#scenario,
      model: context.model,
      systemPrompt: settings.system_prompt,
      parameters: settings.parameters,
      onFailure: settings.on_failure,
      history,
      concurrency: Math.min(settings.concurrency ?? maxReferenceConcurrency, maxReferenceConcurrency),
      stored: this.#transcript.passFrom(from),
      turns: only,
      admit: () => this.#admit(),
      signal,
      world: this.#world ? this.#worldFrom(from, this.#world) : undefined,
      // The second pass is another conversation.
      sessionId: from === 0 ? this.#claimed.lease.attempt_id : `${this.#claimed.lease.attempt_id}-r`,
      ...this.#traced(from),
      user: this.#scenario.user ? this.#user() : undefined,
      recorded: settings.protocol === "recorded",
      callReporting: callReporting(settings),
      onReply: (turn, reply) => this.#keepReply(from + turn, reply),
      onEndError: this.#options.onError,
    });
  }

  /** Sends the trace context of each turn, and adds what its spans show to its reply. */
  #traced(from: number): Pick<AttemptOptions, "traceOf" | "observe"> {
    const spans = this.#spans;
    if (!spans) return {};
    const pass = passNamed(from);
    return {
      traceOf: (turn) => spans.contextOf(pass, turn),
      observe: (turn, reply, signal) => spans.observe(pass, { turn, reply, signal }),
    };
  }

  /** Spans that came after the reply of their turn was stored: the turn is scored again where they show more. */
  async #attachLateSpans(): Promise<void> {
    const { replies } = this.#transcript;
    for (const from of [0, this.#turns]) {
      const changed = await this.#spans?.attachLate(passNamed(from), this.#transcript.passFrom(from));
      for (const [turn, reply] of changed ?? []) {
        const turn_index = from + turn;
        const priced = withCost(reply, this.#options.context);
        replies.set(turn_index, priced);
        const scores = await this.#score(turn_index, priced);
        await this.#storeWhileHeld(() =>
          this.#interactions.score(this.#claimed.lease, { turn_index, scores, reply: priced }),
        );
        this.#transcript.scored.set(turn_index, scores);
      }
    }
  }

  #user(): AttemptUser {
    const { simulator, ledger } = this.#options.context;
    return createAttemptUser({
      scenario: this.#scenario,
      attempt: this.#claimed.attempt,
      simulator: simulator ?? null,
      answerOf: (turn) => {
        const answer = this.#answerOf(turn);
        // An earlier process has paid for the answer, and the turn is not stored yet.
        if (answer && this.#claimed.tries > 1) ledger?.resumedHelper(spentByHelper(answer.helper_usage));
        return answer;
      },
      record: (turn, answer) => this.#appendToJournal(turn, [{ type: "user", answer }]),
    });
  }

  #answerOf(turn: number): SimulatorAnswer | undefined {
    return this.#partsOf(turn)
      .flatMap(({ entries }) => entries)
      .find((entry) => entry.type === "user")?.answer;
  }

  /** The world of the pass that starts at this index. */
  #worldFrom(from: number, prepared: PreparedWorld): AttemptWorld {
    const { priceOf, ledger } = this.#options.context;
    const { scenario_index, attempt } = this.#claimed;
    return {
      prepared,
      faultSeed: `${this.#scenario.id} ${attempt}`,
      entriesOf: (turn) => this.#entriesOf(from + turn),
      append: (turn, entries) => this.#appendToJournal(from + turn, entries),
      ...this.#foreignWorld(),
      costOf: priceOf && (({ model, usage }) => usage && priceOf({ model, usage: toUsage(usage) })),
      onStep: (turn, reply, { restored }) => {
        if (!ledger) return;
        const step = { scenario_index, attempt, turn_index: from + turn, reply };
        if (restored) return ledger.resumed(step);
        this.#callsInFlight--;
        ledger.replied(step);
      },
    };
  }

  /** An agent with a tool loop of its own reaches its world through a private endpoint. */
  #foreignWorld(): Pick<AttemptWorld, "open"> {
    const { worldEndpoints, worldOrigin: origin, settings } = this.#options.context;
    if (!settings.world_address) return {};
    const agent = settings.target && isLocalTarget(settings.target) ? undefined : settings.endpoint;
    const { attempt, run_id: runId } = this.#claimed;
    const served = { runId, name: `${settings.test_name}, ${this.#scenario.id}, attempt ${attempt}`, agent, origin };
    return {
      open: async (world) => {
        if (worldEndpoints) return worldEndpoints.open(world, served);
        throw new Error("This process opens no endpoints for worlds.");
      },
    };
  }

  #partsOf(turn_index: number): JournalPart[] {
    const parts = this.#journal.get(turn_index) ?? [];
    this.#journal.set(turn_index, parts);
    return parts;
  }

  #entriesOf(turn_index: number): readonly WorldEntry[] {
    return worldEntries(this.#partsOf(turn_index).flatMap(({ entries }) => entries));
  }

  async #appendToJournal(turn_index: number, entries: readonly JournalEntry[]): Promise<void> {
    this.#countJournal(entries);
    const parts = this.#partsOf(turn_index);
    const part = { turn_index, number: parts.length, entries };
    await this.#storeWhileHeld(() => this.#options.store.journal.append(this.#claimed.lease, part));
    parts.push(part);
  }

  #admit(): boolean | Promise<boolean> {
    const { ledger } = this.#options.context;
    if (this.#isStopped || !ledger) return !this.#isStopped;
    return ledger.admit(this.#options.signal).then((admitted) => {
      if (!admitted) return false;
      this.#callsInFlight++;
      this.#reservation?.use(1);
      return true;
    });
  }

  /** Stores and scores a reply. */
  async #keepReply(index: number, received: StoredReply): Promise<void> {
    const { context, onEnding, onStored } = this.#options;
    const { scenario_index, attempt } = this.#claimed;
    const { replies, scored } = this.#transcript;
    const reply = withCost(received, context);
    replies.set(index, reply);
    this.#callsInFlight--;
    context.ledger?.replied({ scenario_index, attempt, turn_index: index, reply });
    if (this.#endsWithTurns && this.#scoresLocally && replies.size === this.#turns) onEnding?.();
    // Each reply makes room for a call: those start before any reply is scored.
    await afterReplies();
    const turn = await (this.#scoresLocally || reply.error
      ? this.#storeScored(index, reply)
      : this.#storeThenScore(index, reply));
    scored.set(index, turn.scores);
    context.ledger?.stored({ scenario_index, attempt, ...turn });
    if (this.#calls) this.#reservation?.use(this.#calls.ofScoring(index));
    onStored();
    // Retried, since a failure would abort concurrent calls.
    await this.#retryStore(async () => context.ledger?.refresh({ ifOlderThan: maxSpendAgeMs }));
  }

  async #storeScored(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const turn = { turn_index, pass: this.#passOf(turn_index), reply, scores: await this.#score(turn_index, reply) };
    const isLast = this.#endsWithTurns && this.#transcript.scored.size === this.#turns - 1;
    await (isLast
      ? this.finish(turn)
      : this.#storeWhileHeld(() => this.#interactions.store(this.#claimed.lease, turn)));
    return turn;
  }

  /** Scoring by other models may take long, so the reply is stored first. */
  async #storeThenScore(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const turn = { turn_index, pass: this.#passOf(turn_index), reply, scores: null };
    await this.#storeWhileHeld(() => this.#interactions.store(this.#claimed.lease, turn));
    return this.#addScores(turn_index, reply);
  }

  async #addScores(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const turn = { turn_index, reply, scores: await this.#score(turn_index, reply) };
    await this.#storeWhileHeld(() => this.#interactions.score(this.#claimed.lease, turn));
    return turn;
  }

  async #restoreScores(turn_index: number, reply: StoredReply): Promise<StoredScores> {
    const { scenario_index, attempt } = this.#claimed;
    const turn = await this.#addScores(turn_index, reply);
    this.#options.context.ledger?.stored({ scenario_index, attempt, ...turn });
    this.#options.onStored();
    return turn.scores;
  }

  /** A reply whose scoring fails is kept: it is paid for, and scoring would fail again. */
  async #score(index: number, reply: StoredReply): Promise<StoredScores> {
    const { scoring } = this.#options.context;
    const { signal } = this.#options;
    const [interaction, before] = [this.#transcript.interactionAt(index), this.#transcript.before(index)];
    try {
      const { systemPrompt } = this.#transcript;
      return await scoreInteraction(
        compact({ interaction, reply, scenario: this.#scenario, systemPrompt, scoring, before, signal }),
      );
    } catch (error) {
      this.#reportUnlessTransient(error);
      return unscored(reply, error);
    }
  }

  #judgedSetting(): JudgedSetting {
    const { scoring } = this.#options.context;
    const { systemPrompt } = this.#transcript;
    return judgedSetting({ scenario: this.#scenario, scoring, systemPrompt });
  }

  /** Scores the conversation as a whole. */
  async #judgeWhole(): Promise<void> {
    const turn_index = this.#turns - 1;
    const last = this.#transcript.scored.get(turn_index);
    if (!last || last.conversation) return;
    const conversation = await this.#judgement();
    if (conversation) await this.#replaceScores(turn_index, { ...last, conversation });
  }

  /** The verdict of the judge if the run asks for it, and that of the scenario's `expect`. */
  async #judgement(): Promise<ConversationJudgement | undefined> {
    const { conversationJudge } = this.#options.context;
    const { expect } = this.#scenario;
    const judged = conversationJudge ? await this.#verdict(conversationJudge) : undefined;
    return expect ? withOutcome(judged, await this.#outcome(expect)) : judged;
  }

  /**
   * Scores a conversation with a simulated user, stored with its last turn. Where the simulator failed, nothing else is scored, and
   * the scores of the turns are removed.
   */
  async #concludeUser(ended: UserEnd): Promise<void> {
    const { scored } = this.#transcript;
    if (scored.size === 0) await this.#storeUnbegun(ended);
    const turn_index = Math.max(...scored.keys());
    const last = scored.get(turn_index);
    if (!last || last.conversation) return;
    const { end, helper_usage } = ended.failure ? { end: ended } : await this.#reviewed(ended);
    const { failure } = end;
    if (!failure) {
      const conversation = withUserEnd(await this.#judgement(), end);
      const usage = addHelperUsage(addHelperUsage(noHelperUsage, conversation.helper_usage), helper_usage);
      const judged = { ...conversation, ...(hasHelperUsage(usage) && { helper_usage: usage }) };
      return this.#replaceScores(turn_index, { ...last, conversation: judged });
    }
    for (const [index, scores] of scored) {
      if (index !== turn_index) await this.#replaceScores(index, withoutScores(scores));
    }
    const conversation = spoiledByUser({ ...end, failure }, helper_usage);
    await this.#replaceScores(turn_index, { ...withoutScores(last), conversation });
  }

  /** Stores a failed turn when the simulated user quit before the first message. */
  async #storeUnbegun({ failure }: UserEnd): Promise<void> {
    const detail = `Not called: ${failure?.reason ?? "the simulated user ended the conversation at once"}`;
    const error = { code: "simulator_failed" as const, detail, upstream_status: null, tries: 0, retryable: false };
    const reply = failedTurnReply(error, 0);
    this.#transcript.replies.set(0, reply);
    const { scores } = await this.#storeScored(0, reply);
    this.#transcript.scored.set(0, scores);
    this.#options.onStored();
  }

  /** The end with the judge's opinion of the user, if the run asks for one. */
  async #reviewed(end: UserEnd): Promise<{ end: UserEnd; helper_usage?: HelperUsage }> {
    const { settings, outcomeJudge } = this.#options.context;
    const { user } = this.#scenario;
    if (!settings.simulator?.review || !outcomeJudge || !user || end.ended === "recorded") return { end };
    try {
      const turns = this.#transcript.conversation();
      return await reviewUser(outcomeJudge, { user, end, turns, signal: this.#options.signal });
    } catch (error) {
      this.#reportUnlessTransient(error);
      return { end };
    }
  }

  async #replaceScores(turn_index: number, scores: StoredScores): Promise<void> {
    await this.#storeWhileHeld(() => this.#interactions.score(this.#claimed.lease, { turn_index, scores }));
    this.#transcript.scored.set(turn_index, scores);
  }

  /** A verdict that fails is left out: the replies are scored, and judging would fail again. */
  async #verdict({ judge, questions }: TurnJudge): Promise<ConversationJudgement> {
    const { signal } = this.#options;
    try {
      const setting = this.#judgedSetting();
      return await judgeConversation(judge, { questions, signal, setting, turns: this.#transcript.conversation() });
    } catch (error) {
      this.#reportUnlessTransient(error);
      return unjudged(questions, error);
    }
  }

  async #outcome(expect: NonNullable<Scenario["expect"]>): Promise<ConversationJudgement> {
    const { signal } = this.#options;
    const { scoring, outcomeJudge = null } = this.#options.context;
    try {
      return await judgeOutcome({
        expect,
        replies: this.#transcript.firstReplies(),
        setting: this.#judgedSetting(),
        turns: this.#transcript.conversation(),
        scored: this.#transcript.scoredTurns(),
        judge: outcomeJudge,
        ...(await outcomeStates({
          world: this.#world,
          scenario: this.#scenario,
          settings: this.#options.context.settings,
          entriesOf: (turn) => this.#entriesOf(turn),
          signal,
        })),
        matching: { ...scoring.tool_matching, ...this.#scenario.tool_matching },
        tools: this.#scenario.world ?? scoring.world,
        probes: scoring.probes,
        runCode: scoring.code,
        signal,
      });
    } catch (error) {
      this.#reportUnlessTransient(error);
      return undecidedOutcome(reasonOf(error));
    }
  }

  #reportUnlessTransient(error: unknown): void {
    if (this.#options.signal.aborted || isTransient(error)) throw error;
    this.#options.onError(error);
  }

  get #interactions(): Store["interactions"] {
    return this.#options.store.interactions;
  }

  #passOf(index: number): NonNullable<NewTurn["pass"]> {
    return passOf(index, { turns: this.#turns, settings: this.#options.context.settings });
  }

  async #storeWhileHeld(write: () => Promise<boolean>): Promise<void> {
    if (!(await this.#retryStore(write))) throw leaseLost();
  }

  #retryStore<Result>(ask: () => Promise<Result>): Promise<Result> {
    const { signal, onRefused } = this.#options;
    return retryStoreWrite(ask, { signal, onRefused });
  }
}

/** The second pass is another conversation with the agent. */
const passNamed = (from: number): "first" | "second" => (from === 0 ? "first" : "second");

function withCost(reply: StoredReply, { priceOf }: RunContext): StoredReply {
  if (!priceOf || !reply.usage || reply.cost !== undefined) return reply;
  return { ...reply, cost: priceOf({ model: reply.model, usage: reply.usage }) };
}

function scenarioAt(context: RunContext, index: number): Scenario {
  const scenario = context.scenarios[index];
  if (!scenario) throw new RangeError(`The run has no scenario ${index}`);
  return scenario;
}

function leaseLost(): LeaseLost {
  return new LeaseLost("The attempt belongs to another worker or its run was cancelled");
}

/** The stored scores of a reply whose scoring failed. */
export function unscored(reply: StoredReply, error: unknown): StoredScores {
  const answered = success(reply);
  return {
    generated_metadata: {},
    label_sources: {},
    scores: { success: answered.value },
    score_reasons: { success: answered.reason, overall: reasonOf(error) },
    scoring_version: scoringVersion,
    failed_scores: ["overall"],
  };
}

function unjudged(questions: readonly JudgeQuestion[], error: unknown): ConversationJudgement {
  return {
    scores: {},
    score_reasons: Object.fromEntries(questions.map(({ name }) => [name, reasonOf(error)])),
    judgements: {},
  };
}

function reasonOf(error: unknown): string {
  return `unscored: scoring broke: ${publicErrorMessage(error)}`;
}

/** Continuations per turn of the event loop: a few milliseconds in a new process with uncompiled code. */
const portion = 32;

const waiting: (() => void)[] = [];
let scheduled = 0;

/**
 * Resolves when the caller may continue after a reply. Continuations run in small portions, between which the event loop serves the
 * network: replies that arrived meanwhile make room for the next calls first.
 */
export function afterReplies(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (scheduled === 0) schedule();
  });
}

function schedule(): void {
  for (scheduled = 0; scheduled < Math.min(portion, waiting.length); scheduled += 1) setImmediate(next);
}

function next(): void {
  scheduled -= 1;
  waiting.shift()?.();
  if (scheduled === 0) schedule();
}
