import { z } from "zod";

/** Text as OpenAI's clients send it: a string, or parts of which only text can be taken. */
export const OpenAiText = z.union([
  z.string(),
  z.array(z.object({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() })),
]);
export type OpenAiText = z.infer<typeof OpenAiText>;

export function toPlainText(content: OpenAiText | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text).join("");
}
