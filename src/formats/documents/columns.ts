import { FormatError } from "./format-error.ts";
import { normalizeName } from "./records.ts";

/** The roles that a column or field can have. */
export type ColumnRole =
  | "scenario_id"
  | "turn"
  | "id"
  | "user"
  | "reference"
  | "references"
  | "system"
  | "description"
  | "tags"
  | "interaction_type"
  | "agent_reply"
  | "reference_metadata"
  | "generated_metadata"
  | "checks"
  | "rubric"
  | "reference_tool_calls"
  | "context";

/** Maps roles to columns whose names are not recognised. `labels` lists all columns that are labels. */
export type ColumnMapping = Readonly<Partial<Record<ColumnRole, string>>> & { readonly labels?: readonly string[] };

/** Names of retrieved passages, best first: before the passages that should have been retrieved, those that were. */
export const contextNames: readonly string[] = [
  "retrieved_contexts",
  "retrieval_context",
  "retrieved_context",
  "retrieved_documents",
  "context",
  "contexts",
  "reference_contexts",
  "reference_context",
];

/** Known names for each role, best first. Case, spaces, `_` and `-` are ignored. */
export const roleNames: Readonly<Record<ColumnRole, readonly string[]>> = {
  scenario_id: ["scenario_id", "conversation_id", "session_id", "thread_id", "dialogue_id", "test_case_id", "scenario"],
  turn: ["turn", "turn_index", "turn_number", "turn_id", "step"],
  id: ["interaction_id", "id", "example_id", "case_id", "question_id", "prompt_id"],
  user: [
    "user_message",
    "user",
    "input",
    "question",
    "query",
    "prompt",
    "user_input",
    "message",
    "utterance",
    "instruction",
    "user_query",
    "user_text",
    "problem",
  ],
  reference: [
    "reference_reply",
    "reference",
    "expected",
    "expected_output",
    "target",
    "ideal",
    "ground_truth",
    "truth",
    "expected_answer",
    "expected_response",
    "reference_answer",
    "correct_answer",
    "best_answer",
    "gold_answer",
    "golden_answer",
    "answer",
    "output",
    "response",
    "completion",
    "reply",
    "answers",
    "chosen",
  ],
  references: ["references", "correct_answers"],
  system: ["system_prompt", "system", "system_message", "instructions"],
  description: ["description"],
  tags: ["tags"],
  interaction_type: ["interaction_type"],
  agent_reply: ["agent_reply", "actual_output"],
  reference_metadata: ["reference_metadata"],
  generated_metadata: ["generated_metadata"],
  checks: ["checks"],
  rubric: ["rubric", "rubrics", "criteria", "grading_criteria"],
  reference_tool_calls: [
    "reference_tool_calls",
    "expected_tool_calls",
    "expected_tools",
    "reference_tools",
    "expected_trajectory",
    "reference_trajectory",
  ],
  context: contextNames,
};

export const columnRoles = Object.keys(roleNames) as ColumnRole[];

/** Names of ids, row numbers and times, and of pandas' `Unnamed: 0` column, which are never labels. */
const bookkeeping =
  /^_|(?:^|[\s_-])(?:id|uuid|guid|hash|idx|index)$|^(?:line|row)[\s_-]?(?:number|no)$|^unnamed: \d+$/i;
/** The same in camel case or joined names. Case matters: `valid` and `format` are labels. */
const joinedBookkeeping =
  /[a-z](?:I[Dd]|U[Uu][Ii][Dd]|At)$|(?:user|session|record|row|trace|thread|message|customer)id$/;
const times =
  /^(?:created|updated|modified)(?:[\s_-]?(?:at|on|time|date))?$|_at$|^timestamp$|^(?:start|end)[\s_-]?time$/i;
/** Names of measurements of past replies in Ragas, DeepEval, Azure and Braintrust. */
const measures =
  /^(?:scores?|gpt)[._]|^(?:metrics|outputs|feedback)\.|^(?:score|pass|passed|success|faithfulness|groundedness|coherence|fluency)$|^(?:answer|context|response)_(?:\w+_)?(?:relevancy|relevance|correctness|similarity|precision|recall)$|^(?:factual_correctness|noise_sensitivity|semantic_similarity)\b|_score$|^latency(?:_?m?s)?$|^answer_length$|_tokens$|^(?:input|output|prompt|completion|total)tokens$/i;
/** Names of other data about a question: contexts, choices, wrong answers, origin. */
const otherData: ReadonlySet<string> = new Set([
  "context",
  "contexts",
  "retrievedcontexts",
  "referencecontext",
  "referencecontexts",
  "retrievalcontext",
  "choices",
  "options",
  "rejected",
  "incorrectanswers",
  "split",
  "datasetsplit",
  "synthesizername",
  "personaname",
  "querystyle",
  "querylength",
  "isroot",
]);

/** True for a label: the names `intent` and `sentiment`, or those that the mapping lists. */
export function isLabelName(name: string, { labels = ["intent", "sentiment"] }: ColumnMapping): boolean {
  return labels.some((label) => normalizeName(label) === normalizeName(name));
}

const tagNames = new Set([
  "category",
  "categories",
  "topic",
  "topics",
  "domain",
  "subject",
  "split",
  "splits",
  "difficulty",
]);

/** True for a column that groups scenarios. */
export const isTagName = (name: string): boolean => tagNames.has(normalizeName(name));

/** True for a column of ids, times, measurements or contexts, whose meaning is obvious. */
export const isNotLabel = (name: string): boolean =>
  bookkeeping.test(name) ||
  joinedBookkeeping.test(name) ||
  times.test(name) ||
  measures.test(name) ||
  otherData.has(normalizeName(name));

/** The role of a column by its name. */
export function roleOfName(name: string): ColumnRole | undefined {
  return columnRoles.find((role) => roleNames[role].some((known) => normalizeName(known) === normalizeName(name)));
}

/** Parses `user=col,reference=col,labels=a|b`. Any known name of a role is accepted. */
export function parseColumnMapping(text: string): ColumnMapping {
  // A column name may contain commas: a part without `=` belongs to the name before it.
  const pairs = text.split(/,(?=[^,]*=|\s*$)/).filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...rest] = pair.split("=").map((part) => part.trim());
      const column = rest.join("=");
      if (column === "") throw new FormatError(`the mapping "${pair.trim()}" is not of the form role=column`);
      if (name === "labels") return ["labels", column.split("|").map((label) => label.trim())];
      const role = roleOfName(name);
      if (!role)
        throw new FormatError(`"${name}" is not a role; the roles are ${[...columnRoles, "labels"].join(", ")}`);
      return [role, column];
    }),
  );
}
