import type { ChatMessage } from "./model.ts";

/**
 * The same message where names have no place: who speaks is told in the text. A model's own replies stay as they are, or it would
 * begin the next one like that.
 */
export function nameInText(message: ChatMessage): ChatMessage {
  const { role, name } = message;
  if (role === "tool" || name === undefined) return message;
  const { name: _, ...unnamed } = message;
  if (unnamed.role === "assistant") return unnamed;
  const speaker = `${name}: `;
  const content = speaker + unnamed.content;
  if (unnamed.role === "system" || !unnamed.parts) {
    const marks = unnamed.cache_marks?.map((mark) => ({ ...mark, end: mark.end + speaker.length }));
    return { ...unnamed, content, ...(marks && { cache_marks: marks }) };
  }
  return { ...unnamed, content, parts: [{ type: "text", text: speaker }, ...unnamed.parts] };
}
