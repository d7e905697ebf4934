import type { z } from "zod";
import type {
  Agreement,
  Corrections,
  ReviewQuery,
  ReviewQueue,
  StoredVerdicts,
  VerdictsRequest,
} from "../../src/contract/schemas/judging/human-verdict.ts";
import type { JudgeAudit } from "../../src/contract/schemas/judge-audit.ts";
import { toApiError } from "./api-error.ts";
import { ask } from "./http.ts";

/**
 * The next replies for a person, and the progress of everyone. It holds no verdict of others. A key that stands for one person
 * refuses the name that was typed before there were keys.
 */
export async function fetchReview(
  runId: string,
  query: Partial<ReviewQuery>,
  signal: AbortSignal,
): Promise<ReviewQueue> {
  return ask("reviewRun", { parameters: { run_id: runId }, query, signal }).catch((error: unknown) => {
    if (!query.rater || toApiError(error).code !== "scope_missing") throw error;
    keepRater("");
    return fetchReview(runId, { ...query, rater: "" }, signal);
  });
}

export const sendVerdicts = async (runId: string, body: z.input<typeof VerdictsRequest>): Promise<StoredVerdicts> =>
  ask("storeVerdicts", { parameters: { run_id: runId }, body });

export const fetchAgreement = async (
  runId: string,
  query: { question: string; against: string },
  signal: AbortSignal,
): Promise<Agreement> => ask("measureAgreement", { parameters: { run_id: runId }, query, signal });

export const fetchCorrections = async (runId: string, signal: AbortSignal): Promise<Corrections> =>
  ask("correctScores", { parameters: { run_id: runId }, signal });

/** Compares the run's judge with people's verdicts. Calls the judge several times per reply. */
export const requestAudit = async (runId: string, question: string): Promise<JudgeAudit> =>
  ask("auditRunJudge", { parameters: { run_id: runId }, body: { question } });

const raterKey = "rehearsal.rater";

/** The name under which this browser's verdicts are stored; "" until one is typed. */
export const readRater = (): string => localStorage.getItem(raterKey) ?? "";
export const keepRater = (name: string): void => localStorage.setItem(raterKey, name);
