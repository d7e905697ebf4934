import type { SortedText } from "./thought-text.ts";

const [opening, closing] = ["<think>", "</think>"];

/**
 * Sorts a thought that has an end and no beginning: the prompts of DeepSeek R1, QwQ and others end in `<think>`, so that the model writes
 * only what follows, and servers that do not know it send that as the reply. A line ends at its end, or it is only spoken of.
 */
export function splitUnopened(text: string): SortedText {
  const end = text.indexOf(closing);
  const [thought, said] = [text.slice(0, end), text.slice(end + closing.length)];
  const isThought = end !== -1 && !thought.includes(opening) && (/\n[ \t]*$/.test(thought) || /^[ \t]*\n/.test(said));
  if (!isThought || said.trim() === "") return { said: text, thought: "" };
  return { said: said.trimStart(), thought: thought.trim() };
}
