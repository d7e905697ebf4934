import { reaches } from "../../base/numbers.ts";
import type { AttemptResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { turnOutcome } from "../../contract/schemas/outcome.ts";
import { contentHash } from "../content-hash.ts";
import { jsonLines } from "./json-lines.ts";
import type { ChatLine } from "./messages-of.ts";
import type { AttemptExport, RunHead, ScenarioHead } from "./result-export.ts";

/** How far apart the `overall` of two replies has to be for one of them to be preferred. */
const margin = 0.1;

/**
 * Fine-tuning lines from a run: each attempt's conversation as far as all its replies are good, the same one only once. Where the
 * model saw the reference replies, every good reply is a line of its own behind those.
 */
export function createSftLines(): AttemptExport {
  let run: TrainingHead = {};
  const written = ofScenario(() => new Set<string>());

  function* attempt(scenario: ScenarioHead, result: AttemptResult): Generator<string> {
    let last: ToldTurn | null = null;
    for (const told of tellAttempt(result, { scenario, run })) {
      const isGood = turnOutcome(told.turn, scenario.threshold) === "passed";
      if (run.history === "reference") {
        if (isGood) yield* line(scenario, told);
        continue;
      }
      if (!isGood) break;
      last = told;
    }
    if (last) yield* line(scenario, last);
  }

  function* line(scenario: ScenarioHead, { turn, key, prompt }: ToldTurn): Generator<string> {
    const lines = written(scenario);
    const known = hashOf(key, assistant(turn.agent_reply));
    if (lines.has(known)) return;
    lines.add(known);
    yield jsonLines([{ messages: [...prompt(), assistant(turn.agent_reply)] }]);
  }

  return {
    start(head) {
      run = head;
      return "";
    },
    attempt,
    finish: () => "",
  };
}

/** A reply, by where it is: its text may be long. */
interface Candidate {
  readonly attempt: number;
  readonly turn_index: number;
  readonly overall: number;
}

/** The best and the worst reply to one conversation; of the two, the text of whichever was read first. */
interface Pair {
  best: Candidate;
  worst: Candidate;
  first?: string;
}

/**
 * Preference pairs from the attempts at one turn: best against worst. Only replies to exactly the same conversation are compared,
 * so later turns pair up only where what was said before was the same. Which replies those are is known when all attempts have been
 * looked at; no more than these are held then.
 */
export function createDpoLines(): AttemptExport {
  let run: TrainingHead = {};
  const pairsOf = ofScenario(() => new Map<string, Pair>());

  function* rated(scenario: ScenarioHead, result: AttemptResult): Generator<ToldTurn & { candidate: Candidate }> {
    for (const told of tellAttempt(result, { scenario, run })) {
      const { turn_index, error, scores } = told.turn;
      const { overall } = scores;
      if (error !== null || overall === undefined) continue;
      yield { ...told, candidate: { attempt: result.attempt, turn_index, overall } };
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
      if (!pair || !isWorthwhile(pair, scenario.threshold)) continue;
      const isBest = isSame(candidate, pair.best);
      if (!isBest && !isSame(candidate, pair.worst)) continue;
      const { first } = pair;
      pair.first ??= turn.agent_reply;
      if (first === undefined || first === turn.agent_reply) continue;
      const [chosen, rejected] = isBest ? [turn.agent_reply, first] : [first, turn.agent_reply];
      pairs.delete(key);
      yield jsonLines([
        {
          prompt: prompt(),
          chosen: [assistant(chosen)],
          rejected: [assistant(rejected)],
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
    finish: () => "",
  };
}

const isSame = (left: Candidate, right: Candidate): boolean =>
  left.attempt === right.attempt && left.turn_index === right.turn_index;

const isWorthwhile = ({ best, worst }: Pair, threshold: number): boolean =>
  reaches(best.overall, threshold) && best.overall - worst.overall >= margin;

/** Something kept for the scenario that is being read, and made anew for the next one. */
function ofScenario<Kept>(make: () => Kept): (scenario: ScenarioHead) => Kept {
  let last: { readonly scenario: ScenarioHead; readonly kept: Kept } | null = null;
  return (scenario) => {
    if (last?.scenario !== scenario) last = { scenario, kept: make() };
    return last.kept;
  };
}

type TrainingHead = Pick<RunHead, "system_prompt" | "history">;

/** A turn with the conversation the model was given, its own message last. */
interface ToldTurn {
  readonly turn: InteractionResult;
  /** The same for the same conversation. */
  readonly key: string;
  readonly prompt: () => readonly ChatLine[];
}

/** A turn that failed, or has no reference reply where those were told, was no part of what the model saw next. */
function* tellAttempt(
  { interactions }: AttemptResult,
  { scenario, run }: { scenario: ScenarioHead; run: TrainingHead },
): Generator<ToldTurn> {
  const system = scenario.system_prompt ?? run.system_prompt;
  const history: ChatLine[] = system ? [{ role: "system", content: system }] : [];
  let told = history.reduce(hashOf, "");
  /** Said since, and perhaps long: named only when there is a turn after it. */
  let since: readonly ChatLine[] = [];
  for (const [index, turn] of interactions.entries()) {
    // Where an earlier turn is missing, nobody can tell any more what the model saw.
    if (turn.turn_index !== index) continue;
    const asked = user(turn.user_message);
    told = since.reduce(hashOf, told);
    since = [];
    const key = hashOf(told, asked);
    const before = history.length;
    yield { turn, key, prompt: () => [...history.slice(0, before), asked] };
    const said =
      run.history === "reference" ? referenceReply(turn) : turn.error === null ? turn.agent_reply : undefined;
    if (said === undefined) continue;
    since = [asked, assistant(said)];
    history.push(...since);
  }
}

/** Names a conversation by what it was named before its last line, and that line. */
const hashOf = (before: string, { role, content }: ChatLine): string => contentHash(`${before} ${role} ${content}`);

const referenceReply = ({ reference_reply, references = [] }: InteractionResult): string | undefined =>
  reference_reply.trim() === "" ? references[0] : reference_reply;

const user = (content: string): ChatLine => ({ role: "user", content });
const assistant = (content: string): ChatLine => ({ role: "assistant", content });
