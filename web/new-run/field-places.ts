import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import type { RunDraft } from "./run-draft.ts";

type FieldName = keyof RunDraft;

/** Where each field of the form stands in the request, from the outside in. */
export const fieldPlaces: Readonly<Record<FieldName, readonly string[]>> = {
  name: ["test_name"],
  endpoint: ["endpoint"],
  model: ["model_id"],
  protocol: ["protocol"],
  attempts: ["attempts"],
  systemPrompt: ["system_prompt"],
  history: ["history"],
  threshold: ["threshold"],
  scorers: ["scorers"],
  concurrency: ["concurrency"],
  priority: ["priority"],
  temperature: ["parameters", "temperature"],
  money: ["budget", "money"],
  judgeEndpoint: ["judge", "endpoint"],
  judgeModel: ["judge", "model_id"],
  judgeRubric: ["judge", "rubric"],
  judgeVotes: ["judge", "votes"],
  scenarios: ["test_batch"],
};

export const fieldNames = Object.keys(fieldPlaces) as readonly FieldName[];

export const fieldPointer = (name: FieldName): string => `/${fieldPlaces[name].join("/")}`;

/** What is wrong with a field of the form, or with anything in it. */
export const problemsOf = (problems: readonly FieldProblem[], name: FieldName): FieldProblem[] =>
  problemsAt(problems, fieldPointer(name));

/** What is wrong with something the form has no field for: it can only have come with a pasted request. */
export const problemsElsewhere = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.filter((problem) => fieldNames.every((name) => problemsOf([problem], name).length === 0));
