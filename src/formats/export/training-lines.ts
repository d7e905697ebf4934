import type { AttemptResult, ScenarioResult } from "../../contract/evaluation-response.ts";
import type { InteractionResult } from "../../contract/interaction-result.ts";
import { turnOutcome } from "../../contract/outcome.ts";
import { reaches, thresholdOf } from "../../contract/threshold.ts";
import { jsonLines } from "./json-lines.ts";
import type { ChatLine } from "./messages-of.ts";
import type { ResultExport, RunHead } from "./result-export.ts";

/** How far apart the `overall` of two replies has to be for one of them to be preferred. */
const margin = 0.1;

/**
 * Fine-tuning lines from a run: each attempt's conversation as far as all its replies are good, the same one only once. Where the
 * model saw the reference replies, every good reply is a line of its own behind those.
 */
export const createSftLines = (): ResultExport =>
  linesPerScenario((result, run) => {
    const threshold = thresholdOf(result);
    const isGood = ({ turn }: { turn: InteractionResult }) => turnOutcome(turn, threshold) === "passed";
    const conversations = result.attempts.flatMap((attempt) => {
      const told = tellAttempt(attempt, { result, run });
      if (run.history === "reference") return told.filter(isGood);
      const bad = told.findIndex((reply) => !isGood(reply));
      return told.slice(0, bad < 0 ? undefined : bad).slice(-1);
    });
    const lines = conversations.map(({ turn, prompt }) => ({ messages: [...prompt, assistant(turn.agent_reply)] }));
    return [...new Map(lines.map((line) => [JSON.stringify(line), line])).values()];
  });

/**
 * Preference pairs from the attempts at one turn: best against worst. Only replies to exactly the same conversation are compared,
 * so later turns pair up only where what was said before was the same.
 */
export const createDpoLines = (): ResultExport =>
  linesPerScenario((result, run) => {
    const replies = result.attempts
      .flatMap((attempt) => tellAttempt(attempt, { result, run }))
      .flatMap(({ turn, prompt }) => {
        const { overall } = turn.scores;
        return turn.error !== null || overall === undefined ? [] : [{ prompt, text: turn.agent_reply, overall }];
      });
    const groups = Map.groupBy(replies, ({ prompt }) => JSON.stringify(prompt));
    return [...groups.values()].flatMap((group) => {
      const ranked = group.toSorted((left, right) => right.overall - left.overall);
      const [best, worst] = [ranked[0], ranked.at(-1)];
      if (!best || !worst || best.text === worst.text) return [];
      if (!reaches(best.overall, thresholdOf(result)) || best.overall - worst.overall < margin) return [];
      return [
        {
          prompt: best.prompt,
          chosen: [assistant(best.text)],
          rejected: [assistant(worst.text)],
          score_chosen: best.overall,
          score_rejected: worst.overall,
        },
      ];
    });
  });

type TrainingHead = Pick<RunHead, "system_prompt" | "history">;

function linesPerScenario(lines: (result: ScenarioResult, run: TrainingHead) => readonly unknown[]): ResultExport {
  let run: TrainingHead = {};
  return {
    start(head) {
      run = head;
      return "";
    },
    scenario: (result) => jsonLines(lines(result, run)),
    finish: () => "",
  };
}

/** A turn with the conversation the model was given, its own message last. */
interface ToldTurn {
  readonly turn: InteractionResult;
  readonly prompt: readonly ChatLine[];
}

/** A turn that failed, or has no reference reply where those were told, was no part of what the model saw next. */
function tellAttempt(
  { interactions }: AttemptResult,
  { result, run }: { result: ScenarioResult; run: TrainingHead },
): ToldTurn[] {
  const system = result.system_prompt ?? run.system_prompt;
  const history: ChatLine[] = system === undefined ? [] : [{ role: "system", content: system }];
  // Where an earlier turn is missing, nobody can tell any more what the model saw.
  const whole = interactions.filter(({ turn_index }, index) => turn_index === index);
  return whole.map((turn) => {
    const prompt = [...history, user(turn.user_message)];
    const said =
      run.history === "reference" ? referenceReply(turn) : turn.error === null ? turn.agent_reply : undefined;
    if (said !== undefined) history.push(user(turn.user_message), assistant(said));
    return { turn, prompt };
  });
}

const referenceReply = ({ reference_reply, references = [] }: InteractionResult): string | undefined =>
  reference_reply.trim() === "" ? references[0] : reference_reply;

const user = (content: string): ChatLine => ({ role: "user", content });
const assistant = (content: string): ChatLine => ({ role: "assistant", content });
