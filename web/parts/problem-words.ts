import type { FieldProblem } from "./field-problems.ts";

/** What is wrong with a field, for whoever fills it in. */
export function problemWords({ pointer, code, message }: FieldProblem): string {
  const missing = message === "is required" || message === "must have at least 1 character";
  if (pointer === "/test_batch" && (missing || code === "invalid_union")) return "add a scenario, or a list of them";
  if (missing) return "fill this in";
  return importWords(message);
}

/** What an import says of a table, for somebody who has fields for its columns. */
export const importWords = (message: string): string =>
  message.replace(/with the mapping \w+=…/, "above, under Columns");

/** What the field says, where that helps: somebody who brought a file knows what is in it. */
export function receivedWords({ received }: FieldProblem): string | null {
  return received && !received.includes("\n") ? received : null;
}

const nouns: Readonly<Record<string, string>> = {
  test_batch: "scenario",
  interactions: "turn",
  references: "reference",
  rubrics: "question",
  scorers: "score",
};

/** "/test_batch/2/interactions/0/user_message" → "scenario 3, turn 1, user message". */
export function placeWords(pointer: string): string {
  if (pointer === "/text") return "the file";
  const segments = pointer.split("/").slice(1);
  const words = segments.flatMap((segment, index) => {
    const before = segments[index - 1] ?? "";
    if (/^\d+$/.test(segment)) return [`${nouns[before] ?? before.replaceAll("_", " ")} ${Number(segment) + 1}`];
    const counted = /^\d+$/.test(segments[index + 1] ?? "");
    // The single scenario of a batch needs no name.
    if (counted || segment === "test_batch") return [];
    return [segment.replaceAll("_", " ")];
  });
  return words.join(", ");
}
