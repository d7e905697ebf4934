import { createHash } from "node:crypto";
import {
  toCacheMarks,
  type ImagePart,
  type TextPart,
  type UserMessage,
  type UserPart,
} from "../contract/ports/chat-model.ts";

/** What a user sent, in order. Without pictures it is a text like any other. */
export function toUserMessage(parts: readonly UserPart[]): UserMessage {
  const content = parts.map((part) => (part.type === "text" ? part.text : standIn(part))).join("");
  if (!parts.every(isText)) return { role: "user", content, parts };
  const marks = toCacheMarks(parts);
  return { role: "user", content, ...(marks.length > 0 && { cache_marks: marks }) };
}

function isText(part: UserPart): part is TextPart {
  return part.type === "text";
}

/** Two messages as one. */
export function joinUserMessages(first: UserMessage, second: UserMessage): UserMessage {
  return toUserMessage([...partsOf(first), { type: "text", text: "\n\n" }, ...partsOf(second)]);
}

function partsOf({ content, parts }: UserMessage): readonly UserPart[] {
  return parts ?? [{ type: "text", text: content }];
}

/**
 * A picture in words, where only text has a place: in the log, in traces. Told apart by a piece of its hash; what follows the
 * path of an address is left out, since it may be a key to the picture.
 */
function standIn({ url }: ImagePart): string {
  const hash = createHash("sha256").update(url).digest("hex").slice(0, 8);
  const [, type, data] = /^data:([^;,]*)[^,]*,(.*)$/is.exec(url) ?? [];
  if (type === undefined || data === undefined) return `[image ${hash}: ${url.replace(/[?#].*$/s, "").slice(0, 200)}]`;
  return `[image ${hash}: ${type}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB]`;
}
