import { compact } from "../../base/compact.ts";
/**
 * The protocol between Rehearsal and a process that runs code of users: JSON lines, one question at a time.
 *
 * The process reads questions from its standard input, each a JSON object on one line of UTF-8, and answers each with one line:
 *
 *     → {"id": 1, "method": "start", "params": {"module": "file:///suite/worlds/orders.ts"}}
 *     ← {"id": 1, "result": null}
 *     → {"id": 2, "method": "world.call", "params": {"tool": "get_order", "arguments": {"order_id": "7"}, "state": {…}}}
 *     ← {"id": 2, "error": {"message": "No such order."}}
 *
 * - A question gets exactly one answer, with its id and either `result` or `error`. The next question comes after the answer.
 * - The first question is `start`. Its answer says that the code is loaded, or why not; time limits of calls begin after it.
 * - `error.message` is the failure of the user's code in words. `error.code` is for failures that the asker handles itself,
 *   `error.details` is a traceback.
 * - Answers go to file descriptor 3, because standard output belongs to the user's code. A program that cannot write there may be
 *   started with answers on its standard output, and must then print nothing else.
 * - The process ends when its standard input ends. It is killed when an answer is late, is not JSON or is too long, and when it
 *   uses too much memory. A new process gets the next question. Tools and checks may remember nothing between two of them; an agent
 *   under test is asked all turns of a conversation in one process, and in a new one from the first turn on.
 * - The environment holds only the variables that the operator declared.
 */
export interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

export type CodeAnswer =
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly error: { readonly message: string; readonly code?: string; readonly details?: string };
    };

/** The answer to the question with this id; null for a line that is no such answer. */
export function parseAnswer(line: string, id: number): CodeAnswer | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("id" in value) || value.id !== id) return null;
  if ("result" in value) return { id, result: value.result };
  if (!("error" in value) || typeof value.error !== "object" || value.error === null) return null;
  const { message, code, details } = value.error as { message?: unknown; code?: unknown; details?: unknown };
  if (typeof message !== "string") return null;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { id, error: compact({ message, code: text(code), details: text(details) }) };
}

/** Splits a stream of text into lines. `onLine` gets each without its line break. */
export function createLineSplitter(
  onLine: (line: string) => void,
  { longest = Infinity, onTooLong = () => {} }: { longest?: number; onTooLong?: () => void } = {},
): (chunk: string) => void {
  let parts: string[] = [];
  let length = 0;
  return (chunk) => {
    const [first = "", ...rest] = chunk.split("\n");
    parts.push(first);
    length += first.length;
    for (const next of rest) {
      if (length <= longest) onLine(parts.join(""));
      parts = [next];
      length = next.length;
    }
    if (length <= longest) return;
    parts = [];
    onTooLong();
  };
}
