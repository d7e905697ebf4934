import type { AttemptResult, ScenarioResult } from "../../contract/evaluation-response.ts";
import type { InteractionResult } from "../../contract/interaction-result.ts";
import { jsonLines } from "./json-lines.ts";
import type { ChatLine } from "./messages-of.ts";
import type { ResultExport } from "./result-export.ts";

export interface TrainingOptions {
  /** What `overall` has to reach for a reply to be good. */
  readonly threshold?: number;
  /** The run's system prompt, which results do not repeat. */
  readonly systemPrompt?: string | undefined;
}

/** Fine-tuning lines from a run: each attempt's conversation as far as all its replies are good, the same one only once. */
export function createSftLines({ threshold = 0.8, systemPrompt }: TrainingOptions = {}): ResultExport {
  return linesPerScenario((result) => {
    const lines = result.attempts.map(({ interactions }) => {
      const bad = interactions.findIndex((turn) => !isGood(turn, threshold));
      return interactions.slice(0, bad < 0 ? undefined : bad);
    });
    const conversations = lines
      .filter((turns) => turns.length > 0)
      .map((turns) => ({ messages: [...opening(systemPrompt), ...turns.flatMap(spoken)] }));
    return [...new Map(conversations.map((line) => [JSON.stringify(line), line])).values()];
  });
}

export interface PreferenceOptions extends TrainingOptions {
  /** How far apart the two replies' `overall` have to be. */
  readonly margin?: number;
  /** `trl`: {prompt, chosen, rejected}; `openai`: {input, preferred_output, non_preferred_output}. */
  readonly style?: "trl" | "openai";
}

/**
 * Preference pairs from the attempts at one turn: best against worst. Only replies to exactly the same conversation are compared,
 * so later turns pair up only where the earlier replies were the same.
 */
export function createDpoLines({
  threshold = 0.8,
  margin = 0.1,
  systemPrompt,
  style = "trl",
}: PreferenceOptions = {}): ResultExport {
  return linesPerScenario((result) => {
    const replies = result.attempts.flatMap((attempt) => repliesOf(attempt, systemPrompt));
    const groups = Map.groupBy(replies, ({ prompt }) => JSON.stringify(prompt));
    return [...groups.values()].flatMap((group) => {
      const ranked = group.toSorted((left, right) => right.overall - left.overall);
      const [best, worst] = [ranked[0], ranked.at(-1)];
      if (
        !best ||
        !worst ||
        best.overall < threshold ||
        best.overall - worst.overall < margin ||
        best.text === worst.text
      )
        return [];
      return [toPair(best, worst, style)];
    });
  });
}

function linesPerScenario(lines: (result: ScenarioResult) => readonly unknown[]): ResultExport {
  return { start: () => "", scenario: (result) => jsonLines(lines(result)), finish: () => "" };
}

interface RankedReply {
  readonly prompt: readonly ChatLine[];
  readonly text: string;
  readonly overall: number;
}

/** Every reply with the conversation it answered. A turn that failed was no part of what the model saw next. */
function repliesOf({ interactions }: AttemptResult, systemPrompt: string | undefined): RankedReply[] {
  const history: ChatLine[] = opening(systemPrompt);
  return interactions.flatMap((turn) => {
    if (turn.error !== null) return [];
    const prompt: ChatLine[] = [...history, { role: "user", content: turn.user_message }];
    history.push(...spoken(turn));
    const overall = turn.scores["overall"];
    return overall === undefined ? [] : [{ prompt, text: turn.agent_reply, overall }];
  });
}

const opening = (systemPrompt: string | undefined): ChatLine[] =>
  systemPrompt ? [{ role: "system", content: systemPrompt }] : [];

const spoken = ({ user_message, agent_reply }: InteractionResult): ChatLine[] => [
  { role: "user", content: user_message },
  { role: "assistant", content: agent_reply },
];

const isGood = ({ error, scores }: InteractionResult, threshold: number): boolean =>
  error === null && (scores["overall"] ?? -1) >= threshold;

function toPair(best: RankedReply, worst: RankedReply, style: "trl" | "openai"): object {
  const [chosen, rejected] = [best, worst].map(({ text }) => [{ role: "assistant", content: text }]);
  if (style === "openai")
    return { input: { messages: best.prompt }, preferred_output: chosen, non_preferred_output: rejected };
  return { prompt: best.prompt, chosen, rejected, score_chosen: best.overall, score_rejected: worst.overall };
}
