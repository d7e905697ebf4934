import { readHtml } from "./read-html.ts";

/** What a failed answer says in words: the text of a page, other text as it is, nothing of anything else. */
export function failureWords({ content_type, text }: { content_type: string; text: string }): string {
  const type = (content_type.split(";")[0] ?? "").trim().toLowerCase();
  if (type === "text/html" || type === "application/xhtml+xml") return readHtml(text).text.trim();
  return type === "" || type.startsWith("text/") || /json|xml|yaml/.test(type) ? text.trim() : "";
}
