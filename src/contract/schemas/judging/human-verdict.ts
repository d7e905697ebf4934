import { z } from "zod";
import { Choices } from "../../../scoring/checks/rubric.ts";
import { Warning } from "../../errors/problem.ts";

/** How the reply was chosen. Only `random` and `stratified` verdicts say something about the replies without one. */
export const Sampling = z.enum(["random", "stratified", "disagreement", "picked"]).meta({ id: "Sampling" });
export type Sampling = z.infer<typeof Sampling>;

const questionName = z.string().min(1).max(100);
const raterName = z.string().trim().min(1).max(100);
const comment = z.string().max(10_000);
const value = z.number().min(0).max(1);

/** The place of a reply within a run. */
const place = {
  scenario_id: z.string().min(1).max(1024),
  attempt: z.int().min(1),
  turn_index: z.int().min(0).describe("Counted from 0. For a question about the whole conversation: its last turn."),
};

/** A person's verdict on one reply. */
export const HumanVerdict = z
  .object({
    ...place,
    question: questionName.describe(
      "`judge_correctness`, `judge.<name>`, `conversation_quality`, `conversation.<name>`, `outcome.rubric` or the name of a turn's rubric answer a question of the judge; `review` asks for the quality in general, `preference` whether the reply is better than that of the run `against`.",
    ),
    against: z.string().optional().describe("For `preference`: id of the run it was compared with."),
    rater: raterName,
    choice: z.string().min(1).max(64),
    value: value.describe("The value of the choice, 0 to 1."),
    comment: comment.optional(),
    sampling: Sampling,
    adjudication: z
      .literal(true)
      .optional()
      .describe("Set when it decides a conflict: it counts instead of the others."),
    given_at: z.iso.datetime(),
  })
  .meta({ id: "HumanVerdict" });
export type HumanVerdict = z.infer<typeof HumanVerdict>;

/** A person's verdict on the turn that it stands under. */
export const TurnVerdict = HumanVerdict.omit({ scenario_id: true, attempt: true, turn_index: true }).meta({
  id: "TurnVerdict",
});
export type TurnVerdict = z.infer<typeof TurnVerdict>;

/** A verdict to store. The same rater's earlier verdict on the same reply and question is replaced. */
export const VerdictInput = z
  .object({
    scenario_id: place.scenario_id,
    attempt: place.attempt.default(1),
    turn_index: place.turn_index.optional().describe("Default: the turn with `interaction_id`, else the only turn."),
    interaction_id: z.string().max(1024).optional(),
    question: questionName.optional().describe("Default: the first question of the run's judge, else `review`."),
    against: z.string().min(1).max(200).optional(),
    rater: raterName
      .optional()
      .describe(
        "Default: `rater` of the request, else the rater of the API key, who alone is accepted unless the key has the scope `verdicts:adjudicate`.",
      ),
    choice: z.string().min(1).max(64).nullish().describe("One of the question's choices. null withdraws the verdict."),
    value: value.optional().describe("Instead of a choice: a score from 0 to 1."),
    comment: comment.optional(),
    sampling: Sampling.optional(),
    adjudication: z
      .boolean()
      .optional()
      .describe("True: it decides a conflict. Needs the scope `verdicts:adjudicate`."),
    skipped: z
      .literal(true)
      .optional()
      .describe(
        "Instead of a choice: the reply was drawn and not judged. While no one judges it, it counts as 0 and as 1 at the ends of a corrected interval.",
      ),
  })
  .meta({ id: "VerdictInput" });
export type VerdictInput = z.infer<typeof VerdictInput>;

/** Body of POST /runs/{run_id}/verdicts. */
export const VerdictsRequest = z
  .object({
    rater: raterName.optional().describe("Who gave the verdicts. Default: the rater of the API key."),
    question: questionName.optional(),
    sampling: Sampling.optional().describe(
      "How the replies were chosen, for verdicts that do not say. Default: `picked`. `picked`, by hand or for any reason such as a complaint, corrects no score. Send the order of the review that handed the replies out (`random`, `stratified`), or `random` for a random part of the run that you drew yourself.",
    ),
    verdicts: z.array(VerdictInput).min(1).max(10_000).optional(),
    text: z.string().max(50_000_000).optional().describe("A file instead of `verdicts`: CSV or JSON lines."),
  })
  .refine(({ verdicts, text }) => (verdicts === undefined) !== (text === undefined), {
    message: "must have either verdicts or text",
  })
  .meta({ id: "VerdictsRequest", oneOf: [{ required: ["verdicts"] }, { required: ["text"] }] });
export type VerdictsRequest = z.infer<typeof VerdictsRequest>;

export const StoredVerdicts = z
  .object({
    stored: z.int().min(0),
    withdrawn: z.int().min(0),
    skipped: z.int().min(0).describe("Rows of a file without a choice."),
    warnings: z.array(Warning).optional(),
  })
  .meta({ id: "StoredVerdicts" });
export type StoredVerdicts = z.infer<typeof StoredVerdicts>;

/** Query of GET /runs/{run_id}/verdicts. */
export const VerdictsQuery = z
  .object({
    format: z.enum(["json", "jsonl", "csv"]).default("json"),
    question: questionName.optional(),
    rater: raterName.optional(),
  })
  .meta({ id: "VerdictsQuery" });

export const VerdictList = z.object({ verdicts: z.array(HumanVerdict) }).meta({ id: "VerdictList" });
export type VerdictList = z.infer<typeof VerdictList>;

/** A question that people answer about replies. */
export const ReviewQuestion = z
  .object({
    name: z.string(),
    text: z.string(),
    choices: Choices,
    scope: z.enum(["turn", "conversation", "pair"]),
    judged: z.boolean().describe("True when the run's judge answered it too."),
    varies: z
      .literal(true)
      .optional()
      .describe("Set for a rubric of single turns or scenarios: `question` of each reply holds its text and choices."),
  })
  .meta({ id: "ReviewQuestion" });
export type ReviewQuestion = z.infer<typeof ReviewQuestion>;

/** Query of GET /runs/{run_id}/review. */
export const ReviewQuery = z
  .object({
    question: questionName.optional().describe("Default: the first question of the run's judge, else `review`."),
    against: z.string().min(1).max(200).optional().describe("Compare with the replies of this run (`preference`)."),
    rater: raterName.optional().describe("Who will judge. Default: the rater of the API key."),
    order: z
      .enum(["random", "stratified", "disagreement"])
      .default("random")
      .describe(
        "`random`; `stratified`: random, with every score of the judge represented as often as it occurs; `disagreement`: replies first on which people, or people and judge, disagree. Those correct no score.",
      ),
    raters: z.coerce.number().int().min(1).max(20).default(2).describe("People who should judge each reply."),
    limit: z.coerce.number().int().min(1).max(20).default(1),
  })
  .meta({ id: "ReviewQuery" });
export type ReviewQuery = z.infer<typeof ReviewQuery>;

/** A reply to judge. It holds no score and no verdict. */
export const ReviewItem = z
  .object({
    ...place,
    interaction_id: z.string(),
    conversation_before: z.array(z.object({ user_message: z.string(), reply: z.string() })),
    user_message: z.string(),
    reply: z.string(),
    reference_reply: z.string(),
    sampling: Sampling.optional().describe("How the queue chose the reply. Send it back with the verdict."),
    question: z
      .object({ text: z.string(), choices: Choices })
      .optional()
      .describe("The question about this reply. Set when it `varies`."),
    other_reply: z.string().optional().describe("For `preference`: the reply of the run `against`."),
    conversation_before_other: z.array(z.object({ user_message: z.string(), reply: z.string() })).optional(),
  })
  .meta({ id: "ReviewItem" });
export type ReviewItem = z.infer<typeof ReviewItem>;

export const ReviewProgress = z
  .object({
    replies: z.int().min(0).describe("Replies that can be judged."),
    judged: z.int().min(0).describe("Replies with at least one verdict."),
    complete: z.int().min(0).describe("Replies with as many verdicts as wanted."),
    mine: z.int().min(0).describe("Verdicts of this rater."),
    skipped: z.int().min(0).optional().describe("Replies that were skipped and that no one has judged."),
    conflicts: z.int().min(0).describe("Replies whose verdicts differ and were not adjudicated."),
    raters: z.array(z.object({ rater: z.string(), verdicts: z.int().min(0) })),
  })
  .meta({ id: "ReviewProgress" });
export type ReviewProgress = z.infer<typeof ReviewProgress>;

/** Body of GET /runs/{run_id}/review. */
export const ReviewQueue = z
  .object({
    rater: z.string(),
    rater_fixed: z.literal(true).optional().describe("Set when the API key gives verdicts under this name only."),
    question: ReviewQuestion,
    questions: z.array(ReviewQuestion),
    items: z.array(ReviewItem).describe("The next replies for this rater; empty when there are none."),
    progress: ReviewProgress,
  })
  .meta({ id: "ReviewQueue" });
export type ReviewQueue = z.infer<typeof ReviewQueue>;

const interval = { ci_lower: z.number().nullable(), ci_upper: z.number().nullable() };

const Coefficient = z
  .object({
    value: z.number().nullable(),
    ...interval,
    method: z.string().describe("How the interval was made, or why there is none."),
    replies: z.int().describe("Replies with two verdicts or more."),
  })
  .meta({ id: "AgreementCoefficient" });

/** A reply whose verdicts differ. */
export const VerdictConflict = z
  .object({
    ...place,
    verdicts: z.array(z.object({ rater: z.string(), choice: z.string(), comment: z.string().optional() })),
    adjudicated: z.string().nullable().describe("The choice that decided it."),
  })
  .meta({ id: "VerdictConflict" });
export type VerdictConflict = z.infer<typeof VerdictConflict>;

/** Query of GET /runs/{run_id}/agreement. */
export const AgreementQuery = z
  .object({ question: questionName.optional(), against: z.string().min(1).max(200).optional() })
  .meta({ id: "AgreementQuery" });

/** How far people agree with each other and with the judge, on one question. Intervals are bootstrap ones over scenarios. */
export const Agreement = z
  .object({
    question: ReviewQuestion,
    raters: z.array(z.object({ rater: z.string(), verdicts: z.int() })),
    replies: z.int().describe("Replies with at least one verdict."),
    alpha: z
      .object({ nominal: Coefficient, ordinal: Coefficient, interval: Coefficient })
      .describe("Krippendorff's alpha."),
    fleiss: Coefficient.describe("Fleiss' kappa."),
    pairs: z
      .array(z.object({ raters: z.array(z.string()).length(2), kappa: Coefficient }))
      .describe("Cohen's kappa of each two raters."),
    people: z
      .object({ mean: z.number().nullable(), ...interval })
      .describe(
        "The mean of people's verdicts on a random part of the replies, with an exact interval over scenarios.",
      ),
    judge: Coefficient.nullable().describe(
      "Cohen's kappa of the judge and the people's verdict; null without a judge.",
    ),
    conflicts: z.array(VerdictConflict).describe("At most 500, those to decide first."),
    open_conflicts: z.int().min(0),
    sentence: z.string(),
  })
  .meta({ id: "Agreement" });
export type Agreement = z.infer<typeof Agreement>;

const Estimate = z.object({ mean: z.number().nullable(), ...interval });

/** The mean that people would give, from their verdicts on a random part of the replies and the judge's scores of all. */
export const CorrectedMean = z
  .object({
    score: z.string(),
    raw: Estimate.describe("The judge's own mean, as in the run."),
    ...Estimate.shape,
    method: z
      .string()
      .describe("`prediction-powered`, `labels alone`, or `none:` with the reason there is no corrected mean."),
    verdicts: z.int().min(0).describe("Replies with people's verdict on a random part."),
    replies: z.int().min(0).describe("Replies with a score of the judge."),
    scenarios: z.int().min(0).describe("Scenarios with a verdict."),
    skipped: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Replies that were drawn and skipped. Their verdict is unknown: it counts as 0 at the lower end of the interval and as 1 at the upper end.",
      ),
    lambda: z.number().nullable().describe("Weight of the judge, tuned for the smallest variance."),
    labels_alone: Estimate.nullable().describe("From the verdicts alone: an exact interval."),
    misclassification: z
      .object({ sensitivity: z.number(), specificity: z.number(), ...Estimate.shape })
      .nullable()
      .describe("For 0/1 scores: from the judge's error rates (Rogan and Gladen)."),
    more_verdicts: z.int().nullable().describe("Verdicts that would halve the interval; null when none would."),
    sentence: z.string(),
  })
  .meta({ id: "CorrectedMean" });
export type CorrectedMean = z.infer<typeof CorrectedMean>;

/** Body of GET /runs/{run_id}/corrections. */
export const Corrections = z
  .object({
    scores: z.array(CorrectedMean),
    label_next: z
      .array(z.object({ question: z.string(), replies: z.array(z.object(place)) }))
      .describe("The replies whose verdicts would help next, random within strata of the judge's score."),
    notes: z.array(z.string()),
  })
  .meta({ id: "Corrections" });
export type Corrections = z.infer<typeof Corrections>;

/** The difference of two runs in one score of the judge, corrected by people's verdicts on both. */
export const CorrectedEffect = z
  .object({
    score: z.string(),
    effect: z.number().nullable(),
    ...interval,
    method: z.string(),
    baseline: z.number().nullable(),
    candidate: z.number().nullable(),
    verdicts: z.object({ baseline: z.int(), candidate: z.int() }),
    sentence: z.string(),
  })
  .meta({ id: "CorrectedEffect" });
export type CorrectedEffect = z.infer<typeof CorrectedEffect>;

/** Body of POST /runs/{run_id}/audit. */
export const RunAuditRequest = z
  .object({
    question: questionName.optional().describe("Default: the judge's first question."),
    repeats: z.int().min(1).max(5).default(2),
  })
  .meta({ id: "RunAuditRequest" });
