import type { JudgeSettings, RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import { estimateCalls } from "./estimate-calls.ts";
import { createTurnTexts, hasLabels, type Helped } from "./helper-calls.ts";
import { judgeQuestions } from "./judges/judge-question.ts";
import { labelCandidates } from "./labels/label-candidates.ts";
import { sumLoads, type Load } from "./load.ts";
import { referenceReplies } from "./reference-replies.ts";
import { estimateTokens } from "./text/estimate-tokens.ts";

/** What judges and labellers are told beside the question and the texts, and their answers. */
const instructions = 200;
const judgeAnswer = 80;
const labellerAnswer = 20;

interface HelperLoads {
  readonly judge: Load;
  readonly labeller: Load;
}

interface ReplyGuess extends Pick<RunSettings, "parameters"> {
  /** Tokens of a reply, where earlier runs tell. */
  readonly reply?: number | undefined;
}

/** What judging and labelling one pass through the scenarios takes, if every turn is answered. */
export function helperLoads({ scenarios, judge, labeller }: Helped, guess: ReplyGuess): HelperLoads {
  const judgeLoad = judge && (judge.scope === "conversation" ? ofConversations(judge) : ofReplies(judge));
  const labellerLoad = labeller && ofLabels(scenarios);
  const loadOf = (load: ((turns: readonly Turn[]) => Load) | undefined): Load =>
    sumLoads(load ? scenarios.map((scenario) => load(turnsOf(scenario, guess))) : []);
  return { judge: loadOf(judgeLoad), labeller: loadOf(labellerLoad) };
}

/** A turn and the tokens of its texts. */
interface Turn {
  readonly interaction: Interaction;
  /** All that was said up to the reply. */
  readonly said: number;
  readonly reply: number;
  readonly references: number;
}

/** The system prompt is shown to nobody but the model under test. */
function turnsOf({ interactions }: Scenario, { parameters, reply }: ReplyGuess): Turn[] {
  const calls = estimateCalls({ interactions }, { settings: { parameters }, reply });
  return calls.map(({ input, output }, index): Turn => {
    const interaction = interactions[index] as Interaction;
    return { interaction, said: input, reply: output, references: tokensOf(referenceReplies(interaction)) };
  });
}

/** With each reply a judge reads the conversation before it and what was expected. */
function ofReplies(judge: JudgeSettings): (turns: readonly Turn[]) => Load {
  const textsOf = createTurnTexts(judge);
  return (turns) =>
    sumLoads(
      turns.map(({ interaction, said, reply, references }) =>
        judgeLoad(judge, textsOf(interaction), said + reply + references),
      ),
    );
}

function ofConversations(judge: JudgeSettings): (turns: readonly Turn[]) => Load {
  const texts = judgeQuestions(judge).map(({ text }) => text);
  return (turns) => {
    const last = turns.at(-1);
    const conversation = last ? last.said + last.reply : 0;
    return judgeLoad(
      judge,
      texts,
      turns.reduce((sum, { references }) => sum + references, conversation),
    );
  };
}

function judgeLoad({ votes = 1 }: JudgeSettings, texts: readonly string[], material: number): Load {
  const calls = votes * texts.length;
  return {
    calls,
    input: calls * (instructions + material) + votes * tokensOf(texts),
    output: calls * judgeAnswer,
  };
}

/** A labeller reads the message, the reply, and the labels that there are under each key. */
function ofLabels(scenarios: readonly Scenario[]): (turns: readonly Turn[]) => Load {
  const choices = new Map(
    [...labelCandidates(scenarios)].map(([key, labels]) => [key, tokensOf([...labels.keys()])] as const),
  );
  return (turns) =>
    sumLoads(
      turns.flatMap(({ interaction, reply }): Load[] => {
        if (!hasLabels(interaction)) return [];
        const labels = Object.keys(interaction.reference_metadata).map((key) => choices.get(key) ?? 0);
        const texts = estimateTokens(interaction.user_message) + reply;
        const input = labels.reduce((sum, tokens) => sum + tokens, instructions + texts);
        return [{ calls: 1, input, output: labellerAnswer }];
      }),
    );
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}
