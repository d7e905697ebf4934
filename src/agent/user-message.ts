import { createHash } from "node:crypto";
import type { ImagePart, UserMessage, UserPart } from "../contract/model.ts";

/** What a user sent, in order. Without pictures it is a text like any other. */
export function toUserMessage(parts: readonly UserPart[]): UserMessage {
  const content = parts.map((part) => (part.type === "text" ? part.text : standIn(part))).join("");
  return { role: "user", content, ...(parts.some(({ type }) => type === "image") && { parts }) };
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
