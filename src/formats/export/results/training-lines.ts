import type { AttemptResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import { turnOutcome } from "../../../contract/schemas/outcome.ts";
import { contentHash } from "../../shared/content-hash.ts";
import { jsonLines } from "../../documents/serialize.ts";
import { callLines, type ChatLine } from "../scenarios/chats.ts";
import type { AttemptExport, RunHead, ScenarioHead } from "./result-export.ts";

/** The minimum difference in `overall` for one reply to be preferred over another. */
const margin = 0.1;

/**
 * Fine-tuning lines: each attempt's conversation up to its first bad reply, without duplicates. If the model saw the reference replies
 * as history, every good reply is a line of its own.
 */
export function createSftLines(): AttemptExport {
  let run: TrainingHead = {};
  const written = perScenario(() => new Set<string>());

  function* attempt(scenario: ScenarioHead, result: AttemptResult): Generator<string> {
    let last: ReplayedTurn | null = null;
    for (const replayed of replayAttempt(result, { scenario, run })) {
      const isGood = turnOutcome(replayed.turn, scenario.threshold) === "passed";
      if (run.history === "reference") {
        if (isGood) yield* line(scenario, replayed);
        continue;
      }
      if (!isGood) break;
      last = replayed;
    }
    if (last) yield* line(scenario, last);
  }

  function* line(scenario: ScenarioHead, { turn, key, prompt }: ReplayedTurn): Generator<string> {
    const lines = written(scenario);
    const reply = replyLines(turn);
    const known = reply.reduce(hashOf, key);
    if (lines.has(known)) return;
    lines.add(known);
    yield jsonLines([{ messages: [...prompt(), ...reply] }]);
  }

  return {
    start(head) {
      run = head;
      return "";
    },
    attempt,
    finish: () => [],
  };
}

/** Identifies a reply without keeping its text, which may be long. */
interface PairCandidate {
  readonly attempt: number;
  readonly turn_index: number;
  readonly overall: number;
  readonly passes: boolean;
}

/** The best and worst reply to one conversation, and the messages of the one that was read first, in JSON. */
interface PreferencePair {
  best: PairCandidate;
  worst: PairCandidate;
  first?: string;
}

/**
 * Preference pairs, best against worst reply. Only replies to exactly the same conversation are compared. `look` finds the pairs
 * first, so that only their texts have to be kept.
 */
export function createDpoLines(): AttemptExport {
  let run: TrainingHead = {};
  const pairsOf = perScenario(() => new Map<string, PreferencePair>());

  function* rated(
    scenario: ScenarioHead,
    result: AttemptResult,
  ): Generator<ReplayedTurn & { candidate: PairCandidate }> {
    for (const replayed of replayAttempt(result, { scenario, run })) {
      const { turn_index, error, scores } = replayed.turn;
      const { overall } = scores;
      if (error !== null || overall === undefined) continue;
      const passes = turnOutcome(replayed.turn, scenario.threshold) === "passed";
      yield { ...replayed, candidate: { attempt: result.attempt, turn_index, overall, passes } };
    }
  }

  function look(scenario: ScenarioHead, result: AttemptResult): void {
    const pairs = pairsOf(scenario);
    for (const { key, candidate } of rated(scenario, result)) {
      const pair = pairs.get(key);
      if (!pair) pairs.set(key, { best: candidate, worst: candidate });
      else if (candidate.overall > pair.best.overall) pair.best = candidate;
      else if (candidate.overall <= pair.worst.overall) pair.worst = candidate;
    }
  }

  function* attempt(scenario: ScenarioHead, result: AttemptResult): Generator<string> {
    const pairs = pairsOf(scenario);
    for (const { key, turn, prompt, candidate } of rated(scenario, result)) {
      const pair = pairs.get(key);
      if (!pair || !isWorthwhile(pair)) continue;
      const isBest = isSame(candidate, pair.best);
      if (!isBest && !isSame(candidate, pair.worst)) continue;
      const { first } = pair;
      const reply = JSON.stringify(replyLines(turn));
      pair.first ??= reply;
      if (first === undefined || first === reply) continue;
      const [chosen, rejected] = (isBest ? [reply, first] : [first, reply]).map(
        (lines) => JSON.parse(lines) as ChatLine[],
      );
      pairs.delete(key);
      yield jsonLines([
        {
          prompt: prompt(),
          chosen,
          rejected,
          score_chosen: pair.best.overall,
          score_rejected: pair.worst.overall,
        },
      ]);
    }
  }

  return {
    start(head) {
      run = head;
      return "";
    },
    look,
    attempt,
    finish: () => [],
  };
}

const isSame = (left: PairCandidate, right: PairCandidate): boolean =>
  left.attempt === right.attempt && left.turn_index === right.turn_index;

const isWorthwhile = ({ best, worst }: PreferencePair): boolean =>
  best.passes && best.overall - worst.overall >= margin;

/** Keeps a value for the current scenario and replaces it when the next one starts. */
function perScenario<Kept>(make: () => Kept): (scenario: ScenarioHead) => Kept {
  let current: { readonly scenario: ScenarioHead; readonly kept: Kept } | null = null;
  return (scenario) => {
    if (current?.scenario !== scenario) current = { scenario, kept: make() };
    return current.kept;
  };
}

type TrainingHead = Pick<RunHead, "system_prompt" | "history">;

/** A turn and the conversation that the model saw, ending with the turn's user message. */
interface ReplayedTurn {
  readonly turn: InteractionResult;
  /** Equal for equal conversations. */
  readonly key: string;
  readonly prompt: () => readonly ChatLine[];
}

/** Replays an attempt. A failed turn, or one without a reference reply if those are the history, was not shown to the model later. */
function* replayAttempt(
  { interactions }: AttemptResult,
  { scenario, run }: { scenario: ScenarioHead; run: TrainingHead },
): Generator<ReplayedTurn> {
  const system = scenario.system_prompt ?? run.system_prompt;
  const history: ChatLine[] = system ? [{ role: "system", content: system }] : [];
  let hash = history.reduce(hashOf, "");
  /** The latest messages, hashed only if another turn follows. */
  let since: readonly ChatLine[] = [];
  for (const [index, turn] of interactions.entries()) {
    // After a missing turn, the model's history is unknown.
    if (turn.turn_index !== index) continue;
    const asked = user(turn.prompt ?? turn.user_message);
    hash = since.reduce(hashOf, hash);
    since = [];
    const key = hashOf(hash, asked);
    const before = history.length;
    yield { turn, key, prompt: () => [...history.slice(0, before), asked] };
    const said = run.history === "reference" ? referenceLines(turn) : turn.error === null ? replyLines(turn) : [];
    if (said.length === 0) continue;
    since = [asked, ...said];
    history.push(...since);
  }
}

/** Hashes a conversation incrementally, line by line. */
const hashOf = (before: string, { role, content, tool_calls }: ChatLine): string =>
  contentHash(`${before} ${role} ${content}${tool_calls ? JSON.stringify(tool_calls) : ""}`);

/** The reply of a turn: its tool calls with their results, then the text. Calls without results end the reply. */
function replyLines({ agent_reply, tool_calls = [] }: InteractionResult): ChatLine[] {
  const calls = tool_calls.map(({ name, arguments: given, result, error }) => {
    const outcome = error ?? result;
    const text = typeof outcome === "string" || outcome === undefined ? outcome : JSON.stringify(outcome);
    return { name, arguments: given, result: text };
  });
  if (calls.length === 0) return [assistant(agent_reply)];
  let number = 0;
  const made = callLines(calls, () => tool_calls[number++]?.id ?? `call_${number}`);
  const [first, ...results] = made;
  if (results.length === 0 && first) return [{ ...first, content: agent_reply }];
  return agent_reply === "" ? made : [...made, assistant(agent_reply)];
}

const referenceLines = (turn: InteractionResult): ChatLine[] => {
  const said = referenceReply(turn);
  return said === undefined ? [] : [assistant(said)];
};

const referenceReply = ({ reference_reply, references = [] }: InteractionResult): string | undefined =>
  reference_reply.trim() === "" ? references[0] : reference_reply;

const user = (content: string): ChatLine => ({ role: "user", content });
const assistant = (content: string): ChatLine => ({ role: "assistant", content });
