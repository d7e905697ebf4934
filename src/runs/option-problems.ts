import type { FieldError } from "../contract/errors.ts";
import type { EvaluationRequest, JudgeSettings, LabellerSettings } from "../contract/schemas/evaluation-request.ts";
import { toPointer } from "../base/json.ts";
import { judgeQuestions } from "../evaluation/judges/judge-question.ts";
import { defaultScorers, scorerNames } from "../evaluation/scorers/built-in-scorers.ts";
import { checkNames, turnCheckNames } from "../contract/schemas/score-names.ts";
import { scorerProblems } from "../evaluation/scorers/scorer-problems.ts";
import { turnCheckProblems } from "../evaluation/scorers/scorer-problems.ts";
import { findHelper } from "./find-helper.ts";
import { withOperator } from "./operator-helper.ts";
import { checkError, turnsWithChecks } from "./placed-checks.ts";

/** What the operator offers: models that judge and label where a request names none, and scorers of their own. */
export interface PlanHelpers {
  readonly judge?: LabellerSettings;
  readonly labeller?: LabellerSettings;
  readonly customScorers?: readonly string[];
  /** False: there is no embedder, so `semantic_similarity` cannot be asked for by name. */
  readonly semantic?: boolean;
}

/** The options of a request that can be wrong in other ways than by their form. */
type Options = Pick<
  EvaluationRequest,
  "test_batch" | "scorers" | "weights" | "judge" | "labeller" | "history" | "replay_first_bad_turn"
>;

/** What is wrong with the options of a request beyond the form of each field. */
export function optionProblems(request: Options, helpers: PlanHelpers): FieldError[] {
  return [
    ...scorersProblems(request, helpers),
    ...judgeProblems(request.judge, helpers),
    ...(request.labeller ? helperProblems("labeller", request.labeller, helpers) : []),
    ...replayProblems(request),
    ...weightProblems(request, helpers),
  ];
}

function available({ customScorers = [], semantic = true }: PlanHelpers): string[] {
  return [...scorerNames.filter((name) => semantic || name !== "semantic_similarity"), ...customScorers];
}

/** Names of the scores that compare, as the run will have them: those it lists, else the usual ones. */
function comparing(scorers: NonNullable<EvaluationRequest["scorers"]>, helpers: PlanHelpers): string[] {
  const listed = scorers.filter((setting) => typeof setting === "string");
  const usual = new Set<string>([...defaultScorers, "semantic_similarity", ...(helpers.customScorers ?? [])]);
  return listed.length > 0 ? listed : available(helpers).filter((name) => usual.has(name));
}

/** What is wrong with the checks of a request and of its turns, but for patterns and schemas that cannot be used. */
export function scorersProblems(
  { scorers = [], test_batch }: Pick<EvaluationRequest, "scorers" | "test_batch">,
  helpers: PlanHelpers,
): FieldError[] {
  const turns = turnsWithChecks(test_batch);
  const ofTurns = turnCheckProblems(
    turns.map(({ checks }) => checks),
    { scorers, available: available(helpers) },
  );
  return [
    ...scorerProblems(scorers, available(helpers)).map((problem) => checkError(`/scorers/${problem.index}`, problem)),
    ...ofTurns.map((problem) => checkError(`${turns[problem.turn]?.pointer}/${problem.index}`, problem)),
  ];
}

function judgeProblems(judge: JudgeSettings | undefined, helpers: PlanHelpers): FieldError[] {
  if (!judge) return [];
  const { rubric, rubrics = [] } = judge;
  const names = rubrics.map(({ name }) => name);
  return [
    ...helperProblems("judge", judge, helpers),
    ...(rubric !== undefined && rubrics.length > 0
      ? [{ pointer: "/judge/rubric", code: "conflict", message: "give either rubric or rubrics, not both" }]
      : []),
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index
        ? [{ pointer: `/judge/rubrics/${index}/name`, code: "duplicate_name", message: "is used by an earlier rubric" }]
        : [],
    ),
    ...(rubrics.length > 0 && rubrics.every(({ weight }) => weight === 0)
      ? [{ pointer: "/judge/rubrics", code: "too_small", message: "must hold a weight above 0" }]
      : []),
  ];
}

function helperProblems(noun: "judge" | "labeller", requested: LabellerSettings, helpers: PlanHelpers) {
  return findHelper(noun, withOperator(requested, helpers[noun])).problems;
}

function replayProblems({ history, replay_first_bad_turn }: Options): FieldError[] {
  if (!replay_first_bad_turn || history !== "reference") return [];
  return [
    {
      pointer: "/replay_first_bad_turn",
      code: "conflict",
      message: 'has no meaning with history "reference": every turn has reference history already',
    },
  ];
}

/** A request may have a thousand checks, and each wrong weight says what there is. */
const shownNames = 30;

function listed(names: readonly string[]): string {
  const more = names.length - shownNames;
  return `${names.slice(0, shownNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function weightProblems({ weights, scorers = [], judge, test_batch }: Options, helpers: PlanHelpers): FieldError[] {
  if (!weights) return [];
  const ofTurns = turnsWithChecks(test_batch).flatMap(({ checks }) => turnCheckNames(checks, scorers));
  const checks = [...checkNames(scorers).filter((name) => name !== null), ...ofTurns];
  const judged = judge ? [...judgeQuestions(judge).map(({ name }) => name), "judge_rubrics"] : [];
  const known = new Set(["success", ...comparing(scorers, helpers), ...checks, ...judged]);
  const isLabel = (name: string): boolean => known.has("metadata_match") && name.startsWith("metadata.");
  const names = listed([...known, ...(known.has("metadata_match") ? ["metadata.<key>"] : [])]);
  const problems = Object.keys(weights)
    .filter((name) => !known.has(name) && !isLabel(name))
    .map((name) => ({
      pointer: toPointer(["weights", name]),
      code: "unknown_score",
      message: `is no score of this run. Its scores: ${names}`,
    }));
  if (problems.length === 0 && Object.values(weights).every((weight) => weight === 0)) {
    return [{ pointer: "/weights", code: "too_small", message: "must hold a weight above 0" }];
  }
  return problems;
}
