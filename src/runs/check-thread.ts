import { parentPort } from "node:worker_threads";
import type { CheckQuestion, TextSetting } from "../evaluation/scorers/checks/check-elsewhere.ts";
import type { Check } from "../evaluation/scorers/checks/check.ts";
import { createCheck } from "../evaluation/scorers/create-checks.ts";
import type { Judgement, ScorerInput } from "../evaluation/scorers/scorer.ts";
import { errorLine } from "../evaluation/error-line.ts";
import { prepareText } from "../evaluation/text/prepare-text.ts";

/** What the thread says: that it is there, and then what became of each question. */
export type CheckAnswer = { readonly judgement: Judgement } | { readonly failure: string };

/** The replies of a run are held against the same few settings. */
const kept = new Map<string, Check>();
const mostKept = 50;

function checkOf(setting: TextSetting): Check {
  const key = JSON.stringify(setting);
  const known = kept.get(key);
  if (known) return known;
  const check = createCheck(setting);
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, check);
  return check;
}

function answer({ setting, reply, references }: CheckQuestion): CheckAnswer {
  const input: ScorerInput = {
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  };
  try {
    return { judgement: checkOf(setting)(input) };
  } catch (error) {
    return { failure: errorLine(error) };
  }
}

parentPort?.on("message", (question: CheckQuestion) => parentPort?.postMessage(answer(question)));
parentPort?.postMessage("ready");
