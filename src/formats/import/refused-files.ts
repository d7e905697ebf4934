import { FormatError } from "../documents/format-error.ts";
import {
  anyField,
  field,
  hasAnyField,
  hasFields,
  isTextList,
  listField,
  recordField,
  textField,
} from "../documents/records.ts";
import { isSpans } from "./traces/spans.ts";

interface RefusedFile {
  /** `first` is the first item of the file. */
  readonly is: (first: unknown, items: readonly unknown[]) => boolean;
  readonly message: string;
}

/** Files of other tools that hold no scenarios, with what to import instead. */
const refused: readonly RefusedFile[] = [
  {
    // OpenAI's batch answers have a status, Anthropic's a result type.
    is: (first) =>
      textField(first, "custom_id") !== undefined &&
      (anyField(field(first, "response"), "status_code") ?? anyField(field(first, "result"), "type")) !== undefined,
    message:
      "this file has the answers of a batch, without the questions; import the file of its requests, whose lines have a body",
  },
  {
    is: (first) =>
      field(first, "question_id") !== undefined && isTextList(listField(listField(first, "choices")?.[0], "turns")),
    message: "this file has answers to MT-Bench's questions, without the questions; import question.jsonl",
  },
  {
    is: (first) =>
      textField(first, "entry_type") !== undefined &&
      hasAnyField("garak_version", "probe_classname", "_config.version", "garak")(first),
    message: "red teaming is not supported: this is a report of garak",
  },
  {
    // Attributes alone do not say which spans belong together, and their texts are requests in JSON.
    is: (first) => !isSpans(first) && hasAnyField("gen_ai.operation.name", "openinference.span.kind")(first),
    message:
      "these are attributes of spans without their spans; export the spans whole, each with its trace id, span id and attributes",
  },
  {
    // The tools and databases of its domains are Python code.
    is: (first) =>
      recordField(first, "user_scenario") !== undefined && hasAnyField("evaluation_criteria", "initial_state")(first),
    message:
      "these are tasks of tau2-bench, which run only with its domains; import the results of a run instead, which have its conversations (tau2 run writes them to data/simulations)",
  },
  {
    is: (_, items) => items.some((line) => hasFields("sessionId", "uuid", "message", "parentUuid")(line)),
    message: sessionText("Claude Code"),
  },
  {
    is: (_, items) => items.some((line) => hasFields("payload")(line) && textField(line, "type") === "session_meta"),
    message: sessionText("Codex"),
  },
];

/** The replies of coding agents are edits of files, which no scenario can repeat. */
function sessionText(agent: string): string {
  return `this is a session of ${agent}, which works on files that are not in it; write the messages that matter as {"messages": [{"role": "user", "content": "…"}]}, a conversation per line`;
}

/** Throws a `FormatError` for a parsed file that holds no scenarios. */
export function refuseOtherFiles(values: readonly unknown[]): void {
  const items = values.flat();
  const found = refused.find(({ is }) => is(items[0], items.slice(0, 50)));
  if (found) throw new FormatError(found.message);
}

/** Botium scripts are plain text with a heading per speaker. */
export function refuseBotium(text: string): void {
  const start = text.slice(0, 10_000);
  if (/^#me\b/m.test(start) && /^#bot\b/m.test(start))
    throw new FormatError(
      "Botium scripts are not supported; write the lines of #me and #bot into a table with the columns conversation_id, role and content",
    );
}
