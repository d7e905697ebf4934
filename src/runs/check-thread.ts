import { parentPort } from "node:worker_threads";
import type { ScorerSetting } from "../contract/schemas/scorer-setting.ts";
import type { CheckQuestion, TextSetting } from "../evaluation/scorers/checks/check-elsewhere.ts";
import type { Check } from "../evaluation/scorers/checks/check.ts";
import { createCheck } from "../evaluation/scorers/create-checks.ts";
import { readinessProblems, type ScorerProblem } from "../evaluation/scorers/scorer-problems.ts";
import type { Judgement, ScorerInput } from "../evaluation/scorers/scorer.ts";
import { errorLine } from "../evaluation/error-line.ts";
import { prepareText } from "../evaluation/text/prepare-text.ts";

/** What the thread is asked: to hold a reply against a check, or whether the checks of a request can be used. */
export type CheckTask = CheckQuestion | { readonly scorers: readonly ScorerSetting[] };

/** What the thread says: that it is there, and then what became of each question. */
export type CheckAnswer =
  | { readonly judgement: Judgement }
  | { readonly problems: readonly ScorerProblem[] }
  | { readonly failure: string };

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

function judge({ setting, reply, references }: CheckQuestion): Judgement {
  const input: ScorerInput = {
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
  };
  return checkOf(setting)(input);
}

function answer(task: CheckTask): CheckAnswer {
  try {
    return "scorers" in task ? { problems: readinessProblems(task.scorers) } : { judgement: judge(task) };
  } catch (error) {
    return { failure: errorLine(error) };
  }
}

parentPort?.on("message", (task: CheckTask) => parentPort?.postMessage(answer(task)));
parentPort?.postMessage("ready");
