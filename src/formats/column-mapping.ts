import { FormatError } from "./format-error.ts";
import { sameName } from "./records.ts";

/** What a column or field can mean to us. */
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
  | "rubric";

/** Which column plays which role, where the names do not say so. `labels`: these, and no others, are expected labels. */
export type ColumnMapping = Readonly<Partial<Record<ColumnRole, string>>> & { readonly labels?: readonly string[] };

/** Names by which peers and people call each role, best first. Case, spaces, `_` and `-` do not matter. */
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
};

export const columnRoles = Object.keys(roleNames) as ColumnRole[];

/** What tells records apart or says when they were made, and `Unnamed: 0`, which pandas writes: nothing a reply could have. */
const bookkeeping =
  /^_|(?:^|[\s_-])(?:id|uuid|guid|hash|idx|index)$|^(?:line|row)[\s_-]?(?:number|no)$|^unnamed: \d+$/i;
/** The same in names that are written in one. The case counts: `valid` and `format` are labels like any other. */
const joined = /[a-z](?:I[Dd]|U[Uu][Ii][Dd]|At)$|(?:user|session|record|row|trace|thread|message|customer)id$/;
const times =
  /^(?:created|updated|modified)(?:[\s_-]?(?:at|on|time|date))?$|_at$|^timestamp$|^(?:start|end)[\s_-]?time$/i;
/** What an evaluation measured of a reply that was given once, by the names of Ragas, DeepEval, Azure and Braintrust. */
const measures =
  /^(?:scores?|gpt)[._]|^(?:metrics|outputs|feedback)\.|^(?:score|pass|passed|success|faithfulness|groundedness|coherence|fluency)$|^(?:answer|context|response)_(?:\w+_)?(?:relevancy|relevance|correctness|similarity|precision|recall)$|^(?:factual_correctness|noise_sensitivity|semantic_similarity)\b|_score$|^latency(?:_?m?s)?$|^answer_length$|_tokens$|^(?:input|output|prompt|completion|total)tokens$/i;
/** What peers keep beside question and answer: what was read for it, what could be chosen from, what would be wrong, and where it comes from. */
const beside: ReadonlySet<string> = new Set([
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

/** True for a column that is no label of a reply, whatever its cells hold. */
export const isNoLabel = (name: string): boolean =>
  bookkeeping.test(name) || joined.test(name) || times.test(name) || measures.test(name) || beside.has(sameName(name));

/** The role a column name stands for by itself. */
export function roleOfName(name: string): ColumnRole | undefined {
  return columnRoles.find((role) => roleNames[role].some((known) => sameName(known) === sameName(name)));
}

/** Reads `user=col,reference=col,labels=a|b`; a role may go by any of its known names. */
export function parseMapping(text: string): ColumnMapping {
  // A name may hold a comma itself: what has no role of its own belongs to the name before.
  const pairs = text.split(/,(?=[^,]*=|\s*$)/).filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", ...rest] = pair.split("=").map((part) => part.trim());
      const column = rest.join("=");
      if (column === "") throw new FormatError(`the mapping "${pair.trim()}" is not of the form role=column`);
      if (name === "labels") return ["labels", column.split("|").map((label) => label.trim())];
      const role = roleOfName(name);
      if (!role) throw new FormatError(`"${name}" is no role; roles are ${[...columnRoles, "labels"].join(", ")}`);
      return [role, column];
    }),
  );
}
