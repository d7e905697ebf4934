import type { ClaimedAttempt, Queue } from "../contract/ports/queue.ts";
import type { NewTurn, Store } from "../contract/ports/store.ts";
import type { StoredReply, StoredScores } from "../contract/schemas/interaction-result.ts";
import type { ConversationJudgement } from "../contract/schemas/judge.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { maxReferenceConcurrency } from "../evaluation/run-attempt.ts";
import type { AttemptHistory } from "../evaluation/conversation.ts";
import { judgeConversation } from "../evaluation/judges/judge-replies.ts";
import { runAttempt } from "../evaluation/run-attempt.ts";
import { scoreInteraction } from "../evaluation/score-interaction.ts";
import type { TurnJudge } from "../evaluation/scoring.ts";
import { attemptCalls } from "./attempt-calls.ts";
import type { CallNeed } from "./call-needs.ts";
import { holdTurns } from "./held-turns.ts";
import { isCircumstance } from "./is-circumstance.ts";
import { LeaseLost } from "./lease-lost.ts";
import { firstHistory, passOf } from "./passes.ts";
import type { RunContext } from "./run-context.ts";
import type { RunLedger } from "./run-ledger.ts";
import { unjudged, unscored } from "./unscored.ts";
import { untilStoreAnswers, type UntilStoreAnswersOptions } from "./until-store-answers.ts";

interface ExecuteOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly context: RunContext;
  readonly signal: AbortSignal;
  readonly onStored: () => void;
  /** Called when nothing is left but what takes moments: to score the last reply where that asks nobody, and to write the end. */
  readonly onEnding?: () => void;
  /** Told why a reply could not be scored. */
  readonly onError: (error: unknown) => void;
  /** Told each time the store refuses what has come of a call. It is held, and the attempt with it, until the store takes it. */
  readonly onRefused: UntilStoreAnswersOptions["onRefused"];
}

/** What became of a claimed attempt. */
interface ExecuteOutcome {
  readonly finished: boolean;
  readonly run_drained: boolean;
}

/** How long a budget may go without hearing what other processes spent. */
const othersMs = 250;

/**
 * Runs one claimed attempt from its first missing turn to its end. Every reply is stored before the next call starts, and
 * before anybody else is asked to score it; a reply that was stored without scores by a worker that died is scored, not asked for again.
 */
export async function executeAttempt(claimed: ClaimedAttempt, options: ExecuteOptions): Promise<ExecuteOutcome> {
  const { store, context } = options;
  const { lease } = claimed;
  const scenario = scenarioAt(context, claimed.scenario_index);

  await context.ledger?.refresh();
  const attempt = createAttempt(claimed, { ...options, scenario });
  try {
    // What nobody has held before has nothing stored.
    if (claimed.tries > 1) await attempt.restore(await store.interactions.ofAttempt(lease.attempt_id));
    await attempt.run();
  } catch (error) {
    // An attempt that has been ended is over, whatever was aborted since.
    if (!attempt.outcome()) throw error;
  } finally {
    attempt.close();
  }
  return attempt.outcome() ?? attempt.finish();
}

type ScoredReply = NewTurn & { readonly scores: StoredScores };

/** The work on one attempt: its turns in one or two passes, and a verdict on the conversation where that is asked for. */
function createAttempt(
  { lease, scenario_index, attempt }: ClaimedAttempt,
  {
    store,
    queue,
    context,
    signal,
    onStored,
    onEnding = () => {},
    onError,
    onRefused,
    scenario,
  }: ExecuteOptions & { scenario: Scenario },
) {
  const { settings, ledger } = context;
  const turns = scenario.interactions.length;
  const held = holdTurns(scenario, settings);
  const { replies, scored } = held;
  /** Nothing follows the turns of the first pass: the one that is over last can be stored with the end. */
  const endsWithTurns = settings.history !== "both" && !settings.replay_first_bad_turn && !context.conversationJudge;
  const { judge, modelLabeller, semantic, custom } = context.scoring;
  /** Scoring asks nobody else: what is left after the last reply takes moments. */
  const scoresAlone = !judge && !modelLabeller && !semantic && custom.length === 0;
  /** Calls the ledger admitted that have not been answered yet. */
  let underWay = 0;
  const calls = ledger && attemptCalls(scenario, settings);
  let need: CallNeed | undefined;
  let ended = false;
  let outcome: ExecuteOutcome | null = null;

  const answered = <Result>(ask: () => Promise<Result>): Promise<Result> =>
    untilStoreAnswers(ask, { signal, onRefused });

  async function mustHold(write: () => Promise<boolean>): Promise<void> {
    if (!(await answered(write))) throw leaseLost();
  }

  async function admit(to: RunLedger): Promise<boolean> {
    if (!(await to.admit(signal))) return false;
    underWay++;
    need?.less(1);
    return true;
  }

  /** A reply whose scoring breaks is kept like any other: it is paid for, and asking again would break again. */
  async function score(index: number, reply: StoredReply): Promise<StoredScores> {
    const [interaction, before] = [held.interactionAt(index), held.before(index)];
    try {
      return await scoreInteraction({ interaction, reply, scoring: context.scoring, before, signal });
    } catch (error) {
      if (signal.aborted || isCircumstance(error)) throw error;
      onError(error);
      return unscored(reply, error);
    }
  }

  async function keep(index: number, reply: StoredReply): Promise<void> {
    const priced = withCost(reply, context);
    replies.set(index, priced);
    underWay--;
    ledger?.replied({ scenario_index, attempt, turn_index: index, reply: priced });
    // Of replies that came together each makes room for a call: those go out before any reply is scored.
    if (endsWithTurns && scoresAlone && replies.size === turns) onEnding();
    await afterReplies();
    const turn = await (scoresAlone || priced.error ? storeScored(index, priced) : storeThenScore(index, priced));
    scored.set(index, turn.scores);
    ledger?.stored({ scenario_index, attempt, ...turn });
    if (calls) need?.less(calls.ofScoring(index));
    onStored();
    // Calls beside this one would be broken off, were it to fail.
    await answered(async () => ledger?.refresh({ ifOlderThan: othersMs }));
  }

  async function storeScored(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const pass = passOf(turn_index, { turns, settings });
    const turn = { turn_index, pass, reply, scores: await score(turn_index, reply) };
    await (endsWithTurns && scored.size === turns - 1
      ? finish(turn)
      : mustHold(() => store.interactions.store(lease, turn)));
    return turn;
  }

  /** Whoever is asked for scores may take long, or be waited for: a reply that is there is not lost meanwhile. */
  async function storeThenScore(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const pass = passOf(turn_index, { turns, settings });
    await mustHold(() => store.interactions.store(lease, { turn_index, pass, reply, scores: null }));
    return addScores(turn_index, reply);
  }

  async function addScores(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const turn = { turn_index, reply, scores: await score(turn_index, reply) };
    await mustHold(() => store.interactions.score(lease, turn));
    return turn;
  }

  /** Ends the attempt, together with its last turn where one is given: one write instead of two. */
  async function finish(turn?: ScoredReply): Promise<ExecuteOutcome> {
    if (turn) scored.set(turn.turn_index, turn.scores);
    onEnding();
    const end = { average_scores: held.averages(), ...(turn && { turn }) };
    const written = await answered(() => queue.finish(lease, end));
    if (turn && !written.finished) throw leaseLost();
    if (written.finished) {
      context.figures.add({ scenario_index, attempt, interactions: held.stored(lease.attempt_id) });
    }
    return (outcome = written);
  }

  async function restoreScores(turn_index: number, reply: StoredReply): Promise<ScoredReply> {
    const turn = await addScores(turn_index, reply);
    ledger?.stored({ scenario_index, attempt, ...turn });
    onStored();
    return turn;
  }

  /** When one pass breaks off, the other starts no call any more; what it has under way is kept as long as the attempt is held. */
  async function bothPasses<Pass>(passes: readonly Promise<Pass>[]): Promise<Pass[]> {
    const over = passes.map((pass) => pass.catch((error: unknown) => ((ended = true), Promise.reject(error))));
    await Promise.allSettled(over);
    return Promise.all(over);
  }

  function runPass({ from, history, only }: { from: number; history: AttemptHistory; only?: readonly number[] }) {
    return runAttempt({
      scenario,
      model: context.model,
      systemPrompt: settings.system_prompt,
      parameters: settings.parameters,
      onFailure: settings.on_failure,
      history,
      concurrency: Math.min(settings.concurrency ?? maxReferenceConcurrency, maxReferenceConcurrency),
      stored: held.passFrom(from),
      ...(only && { turns: only }),
      admit: () => !ended && (!ledger || admit(ledger)),
      signal,
      onReply: (turn, reply) => keep(from + turn, reply),
    });
  }

  /** One that breaks leaves the conversation without a verdict; the replies are scored, and asking again would break again. */
  async function judgementOf({ judge, questions }: TurnJudge): Promise<ConversationJudgement> {
    try {
      return await judgeConversation(judge, { questions, signal, turns: held.conversation() });
    } catch (error) {
      if (signal.aborted || isCircumstance(error)) throw error;
      onError(error);
      return unjudged(questions, error);
    }
  }

  async function judgeWhole(): Promise<void> {
    const last = scored.get(turns - 1);
    if (!context.conversationJudge || !last || last.conversation) return;
    const scores = { ...last, conversation: await judgementOf(context.conversationJudge) };
    await mustHold(() => store.interactions.score(lease, { turn_index: turns - 1, scores }));
    scored.set(turns - 1, scores);
  }

  return {
    async restore(stored: Awaited<ReturnType<Store["interactions"]["ofAttempt"]>>): Promise<void> {
      for (const { turn_index, reply } of stored) replies.set(turn_index, reply);
      for (const { turn_index, reply, scores: known } of stored) {
        const turn = known ? { scores: known } : await restoreScores(turn_index, reply);
        scored.set(turn_index, turn.scores);
      }
    },
    async run(): Promise<void> {
      if (calls) need = await ledger.begin(calls.left(scored), signal);
      const [first] = await bothPasses([
        runPass({ from: 0, history: firstHistory(settings) }),
        ...(settings.history === "both" ? [runPass({ from: turns, history: "reference" })] : []),
      ]);
      if (!first?.completed) return;
      if (settings.replay_first_bad_turn && settings.history !== "both") {
        const only = held.toReplay();
        if (only.length > 0) await runPass({ from: turns, history: "reference", only });
      }
      await judgeWhole();
    },
    /** Calls that were broken off are not under way any more. */
    close(): void {
      for (; underWay > 0; underWay--) ledger?.settle();
      need?.end();
    },
    finish,
    /** Null until the end has been written. */
    outcome: () => outcome,
  };
}

function withCost(reply: StoredReply, { priceOf }: RunContext): StoredReply {
  if (!priceOf || !reply.usage) return reply;
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

/** So many at a time: a few milliseconds of a young process, in which nothing is compiled yet. */
const portion = 32;

const waiting: (() => void)[] = [];
let scheduled = 0;

/**
 * Resolves when it is the caller's turn to do what follows a reply. All who wait take turns in small portions, and between two
 * of them the event loop looks at the network: replies that came meanwhile make room for the next calls first.
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
