import { compact } from "../../base/compact.ts";
import { createHash } from "node:crypto";
import {
  toCacheMarks,
  type ImagePart,
  type TextPart,
  type UserMessage,
  type UserPart,
} from "../../contract/ports/chat-model.ts";

/** A message from its parts, in order. Without pictures it is plain text. */
export function toUserMessage(parts: readonly UserPart[]): UserMessage {
  const content = parts.map((part) => (part.type === "text" ? part.text : placeholderFor(part))).join("");
  if (!parts.every(isText)) return { role: "user", content, parts };
  const marks = toCacheMarks(parts);
  return compact({ role: "user", content, cache_marks: marks.length > 0 ? marks : undefined });
}

function isText(part: UserPart): part is TextPart {
  return part.type === "text";
}

export function joinUserMessages(first: UserMessage, second: UserMessage): UserMessage {
  return toUserMessage([...messageParts(first), { type: "text", text: "\n\n" }, ...messageParts(second)]);
}

function messageParts({ content, parts }: UserMessage): readonly UserPart[] {
  return parts ?? [{ type: "text", text: content }];
}

/**
 * Text that stands for a picture in logs and traces. Part of its hash distinguishes pictures; the query of its URL is left out,
 * because it may contain a key.
 */
function placeholderFor({ url }: ImagePart): string {
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 8);
  const [, type, data] = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/is.exec(url) ?? [];
  if (type === undefined || data === undefined) return `[image ${hash}: ${url.replace(/[?#].*$/s, "").slice(0, 200)}]`;
  return `[image ${hash}: ${type}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB]`;
}
