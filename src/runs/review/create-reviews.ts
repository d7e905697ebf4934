import { compact } from "../../base/compact.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type {
  Agreement,
  Corrections,
  HumanVerdict,
  ReviewQuery,
  ReviewQueue,
  StoredVerdicts,
  VerdictsRequest,
} from "../../contract/schemas/judging/human-verdict.ts";
import type { JudgeAuditRequest } from "../../contract/schemas/judge-audit.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { requireEndedRun } from "../stored/find-run.ts";
import { questionsOfRun, readReplyVerdicts } from "../stored/reply-verdicts.ts";
import { correctionsOfRun } from "./correct-scores.ts";
import { agreementOfRun } from "./measure-agreement.ts";
import { createReviewQueue, readItems } from "./review-queue.ts";
import { findQuestion, listVerdicts, storeVerdicts, type VerdictAuthor } from "./store-verdicts.ts";

/** Verdicts of people on the replies of a run. */
export interface Reviews {
  list(
    run: RunRecord,
    filter: { readonly question?: string | undefined; readonly rater?: string | undefined },
  ): Promise<HumanVerdict[]>;
  store(
    run: RunRecord,
    options: { readonly request: VerdictsRequest; readonly author: VerdictAuthor },
  ): Promise<StoredVerdicts>;
  /** The next replies for this person. */
  queue(run: RunRecord, query: ReviewQuery & { readonly rater: string }): Promise<ReviewQueue>;
  agreement(
    run: RunRecord,
    query: { readonly question?: string | undefined; readonly against?: string | undefined },
  ): Promise<Agreement>;
  corrections(run: RunRecord): Promise<Corrections>;
  /** The request that audits the run's judge with the stored verdicts. */
  auditRequest(run: RunRecord, options: { question?: string | undefined; repeats: number }): Promise<JudgeAuditRequest>;
}

interface ReviewOptions {
  readonly store: Store;
  readonly now: () => number;
}

export function createReviews({ store, now }: ReviewOptions): Reviews {
  return {
    list: (run, filter) => listVerdicts(store, run, filter),
    store: (run, options) => storeVerdicts(store, run, { ...options, now: now() }),
    queue: createReviewQueue({ store, now }),
    agreement: (run, query) => agreementOfRun(store, run, query),
    corrections: (run) => correctionsOfRun(store, run),
    auditRequest: (run, options) => toAuditRequest(store, run, options),
  };
}

/** An audit judges each reply several times, so it takes at most this many. */
const mostItems = 500;

async function toAuditRequest(
  store: Store,
  run: RunRecord,
  { question: name, repeats }: { readonly question?: string | undefined; readonly repeats: number },
): Promise<JudgeAuditRequest> {
  requireEndedRun(run, "its judge cannot be audited yet");
  const scenarios = await store.runs.scenarios(run.id);
  const question = findQuestion(questionsOfRun(run, scenarios), { name, against: undefined });
  if ("problem" in question) throw invalidFieldsError([question.problem]);
  const { judge } = run.settings;
  if (!judge || !question.judged || question.varies || question.scope === "conversation")
    throw invalidFieldsError([
      {
        pointer: "/question",
        code: "unsupported",
        message: "must be a question of the run's judge about every reply",
      },
    ]);
  const verdicts = await readReplyVerdicts(store, run.id, { question: question.name });
  const decided = verdicts
    .filter(({ choice, verdicts: given }) => choice !== null && given.every(({ asked }) => asked === question.asked))
    .slice(0, mostItems);
  if (decided.length === 0)
    throw invalidFieldsError([
      {
        pointer: "/question",
        code: "invalid_value",
        message: `has no verdicts of people on this run: ${question.name}`,
      },
    ]);
  const items = await readItems(store, {
    run,
    scenarios,
    question,
    chosen: decided.map((verdict) => ({ ...verdict, judge: null })),
  });
  const { rubrics, ...alone } = judge;
  return {
    // Every rubric is audited separately.
    judge: rubrics ? { ...alone, rubric: question.text, choices: question.choices } : alone,
    repeats,
    items: items.map(({ conversation_before, user_message, reply, reference_reply }, index) =>
      compact({
        conversation_before,
        user_message,
        reply,
        reference_reply: reference_reply || undefined,
        human: decided[index]?.choice ?? "",
      }),
    ),
  };
}
