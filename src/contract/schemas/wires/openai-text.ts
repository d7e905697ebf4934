import { compact } from "../../../base/compact.ts";
import { z } from "zod";
import { toCacheMarks, type CacheControl, type CacheMark } from "../../ports/chat-model.ts";

/** Anthropic's field, which clients of gateways send in OpenAI's messages. */
export const cache_control = z
  .record(z.string(), z.unknown())
  .nullish()
  .describe("Forwarded to providers with prompt caching.");

const onlyText =
  'must be "text", "input_text" or "output_text": only user messages may have images; audio and files are not supported';
const TextPart = z.object({
  type: z.enum(["text", "input_text", "output_text"], onlyText),
  text: z.string(),
  cache_control,
});
const textOrImage = 'must be "text" or "image_url" ("input_text", "input_image"): audio and files are not supported';

/** A URL that the provider fetches, or the image itself. The service opens neither. */
export const ImageUrl = z
  .string()
  .regex(/^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/i, "must be an http(s) URL or a base64 data URL of an image");
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
  file_id: z.null("is not supported: this service stores no files. Send the image as image_url").optional(),
});

const RefusalPart = z.object({ type: z.literal("refusal"), refusal: z.string() });

/** Text as OpenAI's clients send it: a string or text parts. */
export const OpenAiText = z.union([z.string(), z.array(TextPart)]);
export type OpenAiText = z.infer<typeof OpenAiText>;

/** Content of a user message: text, or parts that may be images. */
export const OpenAiUserContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion("type", [TextPart, ChatImage, ResponseImage], textOrImage)),
]);
export type OpenAiUserContent = z.infer<typeof OpenAiUserContent>;

/** A model's reply sent back as history. Its parts may be refusals. */
export const OpenAiReplyText = z.union([
  z.string(),
  z.array(z.discriminatedUnion("type", [TextPart, RefusalPart], onlyText)),
]);
export type OpenAiReplyText = z.infer<typeof OpenAiReplyText>;

/** The plain text of a message. A refusal counts as the model's text. */
export function toPlainText(content: OpenAiReplyText | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "refusal" ? part.refusal : part.text)).join("");
}

/** The text of a message with the cache marks of its parts and of the whole message. */
export function toMarkedText(
  content: OpenAiReplyText | null | undefined,
  whole: CacheControl | null | undefined,
): { readonly content: string; readonly cache_marks?: readonly CacheMark[] } {
  const text = toPlainText(content);
  const parts = Array.isArray(content) ? content : [];
  const inParts = toCacheMarks(parts.map((part) => (part.type === "refusal" ? { text: part.refusal } : part)));
  const marks = whole ? [...inParts, { end: text.length, control: whole }] : inParts;
  return compact({ content: text, cache_marks: marks.length > 0 ? marks : undefined });
}
