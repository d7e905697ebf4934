import { isPage, isText, mediaTypeOf } from "./media-type.ts";
import { readHtml } from "./read-html.ts";

/** What a failed answer says in words: the text of a page, other text as it is, nothing of anything else. */
export function failureWords({ content_type, text }: { content_type: string; text: string }): string {
  const type = mediaTypeOf(content_type);
  if (isPage(type)) return readHtml(text).text.trim();
  return isText(type) ? text.trim() : "";
}
