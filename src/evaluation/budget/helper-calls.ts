import type { EvaluationPlan, JudgeSettings, RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";
import { referenceReplies } from "../conversation/conversation.ts";
import { judgeQuestions, questionsOf, turnRubrics } from "../judges/judge-question.ts";
import { labelCandidates } from "../labels/label-candidates.ts";
import { estimateCalls, estimateTokens } from "./estimate-tokens.ts";

/** Scenarios with the judge and labeller that evaluate them. */
export interface HelpedPlan extends Pick<EvaluationPlan, "judge" | "labeller"> {
  readonly scenarios: readonly Scenario[];
}

interface HelperCalls {
  readonly judge: number;
  readonly labeller: number;
  /** Calls of the judge for the rubrics of expected outcomes, once per attempt. */
  readonly outcome: number;
}

/**
 * Calls of judge and labeller in one pass through the scenarios, if every turn is answered. A judge that compares skips turns
 * without a reference; a labeller skips turns without labels.
 */
export function helperCalls({ scenarios, judge, labeller }: HelpedPlan): HelperCalls {
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  return {
    judge: judge ? judgeCalls(scenarios, judge) : 0,
    labeller: labeller ? turns.filter(hasLabels).length : 0,
    outcome: judge ? (judge.votes ?? 1) * scenarios.filter(({ expect }) => expect?.rubric !== undefined).length : 0,
  };
}

function judgeCalls(scenarios: readonly Scenario[], judge: JudgeSettings): number {
  const { votes = 1, panel = [] } = judge;
  const voters = votes * (1 + panel.length);
  const ofConversation = voters * questionsOf(judge, "conversation").length * scenarios.length;
  if (judge.scope === "conversation" && questionsOf(judge, "turn").length === 0) return ofConversation;
  const questionsOfTurn = turnQuestionTexts(judge);
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  return ofConversation + voters * turns.reduce((sum, turn) => sum + questionsOfTurn(turn).length, 0);
}

/** The questions that a judge of single replies answers about a turn. */
function turnQuestionTexts(judge: JudgeSettings): (turn: Interaction) => readonly string[] {
  const questions = questionsOf(judge, "turn");
  const always = questions.filter(({ needsReference }) => !needsReference).map(({ text }) => text);
  const all = questions.map(({ text }) => text);
  return (turn) => [
    ...(referenceReplies(turn).length > 0 ? all : always),
    ...turnRubrics(turn).map(({ text }) => text),
  ];
}

function hasLabels({ reference_metadata }: Interaction): boolean {
  return Object.values(reference_metadata).some((value) => ["string", "number", "boolean"].includes(typeof value));
}

/** Calls of one model and their tokens in total. */
export interface Load {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

export function sumLoads(loads: readonly Load[]): Load {
  return loads.reduce(
    (sum, load) => ({ calls: sum.calls + load.calls, input: sum.input + load.input, output: sum.output + load.output }),
    { calls: 0, input: 0, output: 0 },
  );
}

/** Assumed tokens of the prompt around question and texts, and of the answers. */
const instructionTokens = 200;
const judgeAnswerTokens = 80;
const labellerAnswerTokens = 20;

interface HelperLoads {
  readonly judge: Load;
  readonly labeller: Load;
  /** Of the judge, for the rubrics of expected outcomes. */
  readonly outcome: Load;
}

interface ReplyGuess extends Pick<RunSettings, "parameters"> {
  /** Tokens of a reply in earlier runs. */
  readonly reply?: number | undefined;
}

/** Load of judge and labeller in one pass through the scenarios, if every turn is answered. */
export function helperLoads({ scenarios, judge, labeller }: HelpedPlan, guess: ReplyGuess): HelperLoads {
  const judgeLoad = judge && (judge.scope === "conversation" ? conversationLoad(judge) : replyLoad(judge));
  const labellerLoad = labeller && labelLoad(scenarios);
  const total = (load: ((turns: readonly PlannedTurn[]) => Load) | undefined): Load =>
    sumLoads(load ? scenarios.map((scenario) => load(estimateTurns(scenario, guess))) : []);
  const outcomes = scenarios.flatMap((scenario) =>
    judge && scenario.expect?.rubric !== undefined
      ? [conversationLoad(judge, [scenario.expect.rubric])(estimateTurns(scenario, guess))]
      : [],
  );
  return { judge: total(judgeLoad), labeller: total(labellerLoad), outcome: sumLoads(outcomes) };
}

/** A turn and the tokens of its texts. */
interface PlannedTurn {
  readonly interaction: Interaction;
  /** The conversation up to the reply. */
  readonly before: number;
  readonly reply: number;
  readonly references: number;
}

/** Without the system prompt, which judges and labellers do not see. */
function estimateTurns({ interactions }: Scenario, { parameters, reply }: ReplyGuess): PlannedTurn[] {
  const calls = estimateCalls({ interactions }, { settings: { parameters }, reply });
  return calls.map(({ input, output }, index): PlannedTurn => {
    const interaction = interactions[index] as Interaction;
    return { interaction, before: input, reply: output, references: tokensIn(referenceReplies(interaction)) };
  });
}

/** With each reply a judge reads the conversation before it and the references. */
function replyLoad(judge: JudgeSettings): (turns: readonly PlannedTurn[]) => Load {
  const questionsOf = turnQuestionTexts(judge);
  return (turns) =>
    sumLoads(
      turns.map(({ interaction, before, reply, references }) =>
        judgeLoadOf(judge, questionsOf(interaction), before + reply + references),
      ),
    );
}

function conversationLoad(
  judge: JudgeSettings,
  questions: readonly string[] = judgeQuestions(judge).map(({ text }) => text),
): (turns: readonly PlannedTurn[]) => Load {
  return (turns) => {
    const last = turns.at(-1);
    const conversation = last ? last.before + last.reply : 0;
    const material = turns.reduce((sum, { references }) => sum + references, conversation);
    return judgeLoadOf(judge, questions, material);
  };
}

function judgeLoadOf({ votes = 1 }: JudgeSettings, questions: readonly string[], material: number): Load {
  const calls = votes * questions.length;
  return {
    calls,
    input: calls * (instructionTokens + material) + votes * tokensIn(questions),
    output: calls * judgeAnswerTokens,
  };
}

/** A labeller reads the message, the reply and the labels to choose from under each key. */
function labelLoad(scenarios: readonly Scenario[]): (turns: readonly PlannedTurn[]) => Load {
  const choices = new Map(
    [...labelCandidates(scenarios)].map(([key, labels]) => [key, tokensIn([...labels.keys()])] as const),
  );
  return (turns) =>
    sumLoads(
      turns.flatMap(({ interaction, reply }): Load[] => {
        if (!hasLabels(interaction)) return [];
        const labels = Object.keys(interaction.reference_metadata).map((key) => choices.get(key) ?? 0);
        const texts = estimateTokens(interaction.user_message) + reply;
        const input = labels.reduce((sum, tokens) => sum + tokens, instructionTokens + texts);
        return [{ calls: 1, input, output: labellerAnswerTokens }];
      }),
    );
}

function tokensIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}
