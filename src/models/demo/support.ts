import type { Metadata } from "../../contract/schemas/scenario.ts";
import type { Respond } from "./demo-model.ts";
import { fillIn, findLine } from "./find-line.ts";
import { createDice } from "./random.ts";
import { findAnswer } from "./retrieval.ts";
import type { ScriptLine } from "./support-script.ts";

const unsureShare = 0.4;

/** demo-support-v1: knows the subject but gets figures wrong, leaves things out, is curt and forgets what was said. */
export const respondAsFirstVersion: Respond = ({ messages }) => {
  const line = findLine(messages);
  if (line) return { text: fillIn(line.draft, messages) };
  return { text: firstSentence(findAnswer(messages) ?? "I do not know.") };
};

/**
 * demo-support-v2: the script's good answers, with a mistake now and then where the script is unsure.
 * It labels its replies itself, as some endpoints do; the other demos leave that to the evaluation.
 */
export function respondAsSecondVersion(seed: string): Respond {
  const dice = createDice(seed);
  return (request) => {
    const { messages } = request;
    const line = findLine(messages);
    if (!line) {
      return { text: findAnswer(messages) ?? "I am sorry, I do not know that. Shall I pass you on to a colleague?" };
    }
    const errs = line.unsure === true && dice(request)() < unsureShare;
    return { text: fillIn(errs ? line.wrong : line.reply, messages), metadata: labels(line, errs) };
  };
}

function labels({ intent, sentiment }: ScriptLine, errs: boolean): Metadata {
  return { intent, sentiment: errs ? "negative" : sentiment };
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
