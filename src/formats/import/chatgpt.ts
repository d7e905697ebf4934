import { isRecord } from "../../base/json.ts";
import { anyField, field, listField, recordField, scalarText, textField } from "../records.ts";

/** True for a conversation as ChatGPT exports it: a tree of messages, of which every edit and every new answer is a branch. */
export const isChatGptExport = (value: unknown): boolean =>
  recordField(value, "mapping") !== undefined && textField(value, "current_node") !== undefined;

interface ShownMessages {
  readonly messages: readonly object[];
  /** The way to each of them. */
  readonly stepsTo: (index: number) => readonly string[];
  /** What kinds of things stand between them that nobody said: instructions of the account, what the model thought. */
  readonly left: readonly string[];
}

/** The messages of the branch that is shown. */
export function chatGptMessages(conversation: unknown): ShownMessages {
  const nodes = recordField(conversation, "mapping") ?? {};
  const shown: { readonly id: string; readonly message: object }[] = [];
  const left = new Set<string>();
  const seen = new Set<string>();
  for (let id = textField(conversation, "current_node"); id !== undefined && !seen.has(id);) {
    seen.add(id);
    const node = recordField(nodes, id);
    const message = toMessage(field(node, "message"));
    if (typeof message === "string") left.add(message);
    else if (message) shown.push({ id, message });
    id = textField(node, "parent");
  }
  // They lead from the last one back to the first.
  shown.reverse();
  return {
    messages: shown.map(({ message }) => message),
    stepsTo: (index) => ["mapping", shown[index]?.id ?? "", "message"],
    left: [...left].reverse(),
  };
}

const unsaid: ReadonlySet<string> = new Set([
  "user_editable_context",
  "model_editable_context",
  "thoughts",
  "reasoning_recap",
]);

/** The kind alone of what nobody said; undefined for what holds nothing. */
function toMessage(value: unknown): object | string | undefined {
  if (!isRecord(value)) return undefined;
  const role = scalarText(field(value["author"], "role"));
  const content = recordField(value, "content");
  const kind = scalarText(field(content, "content_type")) ?? "text";
  if (unsaid.has(kind)) return kind;
  const parts = (listField(content, "parts") ?? [content]).map((part) =>
    isRecord(part) ? { type: scalarText(part["content_type"]) ?? "part", ...part } : part,
  );
  const isHidden = field(value["metadata"], "is_visually_hidden_from_conversation") === true;
  if (isHidden || role === "system") return parts.join("") === "" ? undefined : "hidden messages";
  // What is not for everybody is for a tool.
  const recipient = anyField(value, "recipient") ?? "all";
  return { role, content: parts, weight: value["weight"], ...(recipient !== "all" && { tool_calls: [recipient] }) };
}
