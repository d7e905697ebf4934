import { compact } from "../../base/compact.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { JudgedSetting, JudgedTurn } from "./judge-material.ts";

/** A conversation with the verdict that people gave on it, or on its last turn. */
export interface JudgeCase {
  readonly turns: readonly JudgedTurn[];
  readonly setting: JudgedSetting;
  readonly verdict: string;
}

/**
 * Reads a case from a line: the verdict, then parts between ` | `. U is the user, A the assistant, S the system prompt, P a policy, C
 * a passage, R a reference, O an offered tool, T a call: `name {arguments} => result`, or `!> error`.
 */
export function readCase(line: string): JudgeCase {
  const [verdict = "", ...parts] = line.split(" | ").map((part) => part.trim());
  const setting: { systemPrompt?: string; policy?: string; tools: { name: string; description: string }[] } = {
    tools: [],
  };
  const turns: {
    user_message: string;
    reply: string | null;
    references: string[];
    tool_calls: RecordedToolCall[];
    context: { text: string }[];
  }[] = [];
  for (const part of parts) {
    const [key, text] = [part[0], part.slice(2).trim()];
    const turn = turns.at(-1);
    if (key === "S") setting.systemPrompt = text;
    else if (key === "P") setting.policy = text;
    else if (key === "O")
      setting.tools.push({ name: text.split(":")[0] ?? "", description: text.slice(text.indexOf(":") + 1).trim() });
    else if (key === "U") turns.push({ user_message: text, reply: null, references: [], tool_calls: [], context: [] });
    else if (!turn) throw new RangeError(`a case begins with what the user says: ${line}`);
    else if (key === "A") turn.reply = text;
    else if (key === "R") turn.references.push(text);
    else if (key === "C") turn.context.push({ text });
    else if (key === "T") turn.tool_calls.push(readCall(text, turn.tool_calls.length));
    else throw new RangeError(`a part of a case begins with U, A, S, P, C, R, O or T: ${part}`);
  }
  return { turns, setting, verdict };
}

function readCall(text: string, index: number): RecordedToolCall {
  const [name = "", ...parts] = text.split(" ");
  const at = parts.findIndex((part) => part === "=>" || part === "!>");
  const kind = parts[at];
  const given = (at === -1 ? parts : parts.slice(0, at)).join(" ") || "{}";
  const outcome = at === -1 ? "" : parts.slice(at + 1).join(" ");
  return compact({
    id: `c${index + 1}`,
    name,
    arguments: JSON.parse(given) as RecordedToolCall["arguments"],
    result: kind === "=>" ? outcome : undefined,
    error: kind === "!>" ? outcome : undefined,
  });
}
