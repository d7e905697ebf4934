import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import { usualName, type JudgeQuestion } from "./judge-question.ts";

/**
 * Names a judge with one of its questions: an audit is worth something for the same model, question and choices only. What the
 * score is called is no part of it: the judge is not told.
 */
export async function judgeFingerprint(
  { endpoint, model_id, protocol = "openai-chat", scope = "turn" }: JudgeSettings,
  { text, choices }: JudgeQuestion,
): Promise<string> {
  const questions = [[usualName(scope), text, Object.entries(choices)]];
  const bytes = new TextEncoder().encode(JSON.stringify([endpoint, model_id, protocol, scope, questions]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
