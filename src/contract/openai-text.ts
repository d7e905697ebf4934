import { z } from "zod";

const onlyText = 'must be "text", "input_text" or "output_text": pictures, sound and files cannot be taken';
const TextPart = z.object({ type: z.enum(["text", "input_text", "output_text"], onlyText), text: z.string() });
const RefusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });

/** Text as OpenAI's clients send it: a string, or parts of which only text can be taken. */
export const OpenAiText = z.union([z.string(), z.array(TextPart)]);
export type OpenAiText = z.infer<typeof OpenAiText>;

/** What a model said, sent back: also with a refusal among its parts. */
export const OpenAiReplyText = z.union([
  z.string(),
  z.array(z.discriminatedUnion("type", [TextPart, RefusalPart], onlyText)),
]);
export type OpenAiReplyText = z.infer<typeof OpenAiReplyText>;

/** A refusal counts as what the model said. */
export function toPlainText(content: OpenAiReplyText | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "refusal" ? part.refusal : part.text)).join("");
}
