import type { JudgeSettings } from "../../contract/evaluation-request.ts";
import { judgeQuestions } from "./judge-question.ts";

/** Names a judge with its questions: an audit is worth something for the same model, question and choices only. */
export async function judgeFingerprint(settings: JudgeSettings): Promise<string> {
  const { endpoint, model_id, protocol = "openai-chat", scope = "turn" } = settings;
  const questions = judgeQuestions(settings).map(({ name, text, choices }) => [name, text, Object.entries(choices)]);
  const bytes = new TextEncoder().encode(JSON.stringify([endpoint, model_id, protocol, scope, questions]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
