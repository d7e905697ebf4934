import { z } from "zod";
import { toCacheMarks, type CacheControl, type CacheMark } from "../ports/chat-model.ts";

/** Anthropic's, which clients of gateways send in OpenAI's messages. */
export const cache_control = z
  .record(z.string(), z.unknown())
  .nullish()
  .describe("Passed on to providers that keep what they have read.");

const onlyText =
  'must be "text", "input_text" or "output_text": only a user can send pictures, and nobody sound or files';
const TextPart = z.object({
  type: z.enum(["text", "input_text", "output_text"], onlyText),
  text: z.string(),
  cache_control,
});
const textOrPicture = 'must be "text" or "image_url" ("input_text", "input_image"): sound and files cannot be taken';

/** What the provider fetches, or the picture itself. We never open either. */
export const ImageUrl = z
  .string()
  .regex(
    /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/i,
    "must be an http(s) address or a base64 data URL of a picture",
  );
const Detail = z.string().nullish();
const ChatImage = z.object({
  type: z.literal("image_url"),
  image_url: z.union([ImageUrl, z.object({ url: ImageUrl, detail: Detail })]),
  cache_control,
});
const ResponseImage = z.object({
  type: z.literal("input_image"),
  image_url: ImageUrl,
  detail: Detail,
  cache_control,
  file_id: z.null("is not supported: nothing is kept here. Send the picture as image_url").optional(),
});

const RefusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });

/** Text as OpenAI's clients send it: a string, or parts of which only text can be taken. */
export const OpenAiText = z.union([z.string(), z.array(TextPart)]);
export type OpenAiText = z.infer<typeof OpenAiText>;

/** What a user says: text, or parts that may be pictures. */
export const OpenAiUserContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion("type", [TextPart, ChatImage, ResponseImage], textOrPicture)),
]);
export type OpenAiUserContent = z.infer<typeof OpenAiUserContent>;

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

/** The text of a message and where it is marked, in its parts or as a whole. */
export function toMarkedText(
  content: OpenAiReplyText | null | undefined,
  whole: CacheControl | null | undefined,
): { readonly content: string; readonly cache_marks?: readonly CacheMark[] } {
  const text = toPlainText(content);
  const parts = Array.isArray(content) ? content : [];
  const inParts = toCacheMarks(parts.map((part) => (part.type === "refusal" ? { text: part.refusal } : part)));
  const marks = whole ? [...inParts, { end: text.length, control: whole }] : inParts;
  return { content: text, ...(marks.length > 0 && { cache_marks: marks }) };
}
