import { parentPort } from "node:worker_threads";
import type { ScorerSetting, UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import type { OffloadedCheck } from "../../evaluation/checks/offload-check.ts";
import type { ReplyCheck, ScorerResult, ScorerInput } from "../../scoring/scorers/scorer.ts";
import { createCheck } from "../../evaluation/checks/create-checks.ts";
import { compilationProblems, type ScorerProblem } from "../../evaluation/checks/scorer-problems.ts";
import { errorLine } from "../../base/format.ts";
import { makeComparison } from "../../evaluation/outcomes/comparisons.ts";
import type { ComparisonTask } from "../../evaluation/tools/probes.ts";
import { prepareText } from "../../scoring/text/prepare-text.ts";

/** A question to the thread: apply a check to a reply, compile the checks of a request, or make a comparison. */
export type CheckTask = OffloadedCheck | { readonly scorers: readonly ScorerSetting[] } | ComparisonTask;

/** The answer to one question. The first message of the thread is "ready". */
export type CheckAnswer =
  | { readonly judgement: ScorerResult }
  | { readonly problems: readonly ScorerProblem[] }
  | { readonly result: unknown }
  | { readonly failure: string };

/** Compiled checks: the replies of a run are checked with the same few settings. */
const kept = new Map<string, ReplyCheck>();
const mostKept = 50;

function checkOf(setting: UserScorerSetting): ReplyCheck {
  const key = JSON.stringify(setting);
  const known = kept.get(key);
  if (known) return known;
  const check = createCheck(setting);
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, check);
  return check;
}

function judgeCheck({ setting, reply, references, turn }: OffloadedCheck): ScorerResult {
  const input: ScorerInput = {
    reply: prepareText(reply),
    references: references.map(prepareText),
    generated_metadata: {},
    reference_metadata: {},
    unjudged_keys: new Set(),
    call: { latency_ms: 0, first_token_ms: null, cost: null },
    turn,
  };
  return checkOf(setting)(input);
}

function answerCheck(task: CheckTask): CheckAnswer {
  try {
    if ("kind" in task) return { result: makeComparison(task) };
    return "scorers" in task ? { problems: compilationProblems(task.scorers) } : { judgement: judgeCheck(task) };
  } catch (error) {
    return { failure: errorLine(error) };
  }
}

parentPort?.on("message", (task: CheckTask) => parentPort?.postMessage(answerCheck(task)));
parentPort?.postMessage("ready");
