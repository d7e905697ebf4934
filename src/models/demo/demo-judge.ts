import { isRecord } from "../../base/json.ts";
import type { ChatRequest } from "../../contract/ports/chat-model.ts";
import type { Respond } from "./demo-model.ts";
import { contentWords } from "./text-index.ts";

/** The id under which the demo endpoint serves the judge. */
export const demoJudgeId = "demo/judge";

/**
 * demo/judge: a scripted judge for the demo's own runs. It compares words with the references and, without any, asks whether a
 * reply is a whole sentence about the order. It understands nothing, and its scores are marked as those of any judge without an
 * audit.
 */
export const respondAsJudge: Respond = (request) => {
  const choices = choicesOf(request);
  const { reply, references } = materialOf(request);
  const { grade, reason } = references.length > 0 ? compareReplies(reply, references) : judgeSentence(reply);
  return { text: JSON.stringify({ reason, verdict: pickChoice(choices, grade) }) };
};

type Grade = "good" | "fair" | "bad";

const gradeNames: Readonly<Record<Grade, readonly string[]>> = {
  good: ["pass", "equivalent", "yes", "good"],
  fair: ["partial"],
  bad: ["fail", "unrelated", "no", "bad"],
};

function pickChoice(choices: readonly string[], grade: Grade): string {
  const named = choices.find((choice) => gradeNames[grade].includes(choice));
  return named ?? (grade === "good" ? choices[0] : choices.at(-1)) ?? "fail";
}

function choicesOf({ messages }: ChatRequest): string[] {
  const system = messages.find(({ role }) => role === "system")?.content ?? "";
  const listed = /Verdicts to choose from: (.*)/.exec(system)?.[1]?.trimEnd() ?? "pass, partial, fail.";
  return listed.replace(/\.$/, "").split(", ");
}

function materialOf({ messages }: ChatRequest): { reply: string; references: string[] } {
  const user = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const [start, end] = [user.indexOf("<<<DATA\n"), user.lastIndexOf("\nDATA>>>")];
  const block = start === -1 || end <= start ? "{}" : user.slice(start + "<<<DATA\n".length, end);
  const material = parseJudgePrompt(block);
  const turns = Array.isArray(material["conversation"]) ? material["conversation"] : [];
  const last: unknown = turns.at(-1);
  const turn = isRecord(last) ? { ...last, reply_to_judge: last["assistant"] } : material;
  const { reply_to_judge, reference_replies } = turn as Readonly<Record<string, unknown>>;
  return {
    reply: typeof reply_to_judge === "string" ? reply_to_judge : "",
    references: Array.isArray(reference_replies) ? reference_replies.filter((text) => typeof text === "string") : [],
  };
}

function parseJudgePrompt(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

interface Judged {
  readonly grade: Grade;
  readonly reason: string;
}

function compareReplies(reply: string, references: readonly string[]): Judged {
  const words = new Set(contentWords(reply));
  const shares = references.map((reference) => {
    const expected = [...new Set(contentWords(reference))];
    return expected.length === 0 ? 0 : expected.filter((word) => words.has(word)).length / expected.length;
  });
  const share = Math.max(...shares);
  const grade = share >= 0.75 ? "good" : share >= 0.35 ? "fair" : "bad";
  return {
    grade,
    reason: `The reply has ${Math.round(share * 100)} percent of the words that matter in the reference.`,
  };
}

function judgeSentence(reply: string): Judged {
  const words = contentWords(reply).length;
  if (words === 0) return { grade: "bad", reason: "The reply is empty." };
  return words >= 3
    ? { grade: "good", reason: "The reply says in a whole sentence what was done or why not." }
    : { grade: "fair", reason: "The reply is too short to tell what was done." };
}
