import { readHtml } from "./read-html.ts";

/**
 * The text of a file or page. The character set comes from the byte order mark, else from `declared`, else from the bytes: valid
 * UTF-8, the declaration inside a page, or windows-1252, as browsers read old files.
 */
export function decodeText(bytes: Uint8Array, { declared }: { declared?: string | undefined } = {}): string {
  const known = charsetOfMark(bytes) ?? declared;
  const decoder = known === undefined ? null : textDecoderFor(known);
  return decoder ? decoder.decode(bytes) : guess(bytes);
}

function charsetOfMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function guess(bytes: Uint8Array): string {
  const inPage = charsetInPage(bytes);
  // ISO-2022-JP uses only ASCII bytes, so it would pass as UTF-8.
  if (inPage === "iso-2022-jp") return new TextDecoder(inPage).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const decoder = inPage === undefined ? null : textDecoderFor(inPage);
    return (decoder ?? new TextDecoder("windows-1252")).decode(bytes);
  }
}

/** Browsers look for the declaration in the first bytes only. */
const headBytes = 1024;

function charsetInPage(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, headBytes));
  return /<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1]?.toLowerCase();
}

/** null for an unknown character set. */
function textDecoderFor(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}

/** The text of a failed response: readable text of a page, other text unchanged, "" for anything else. */
export function bodyFailureText({ content_type, text }: { content_type: string; text: string }): string {
  const type = parseMediaType(content_type);
  if (isHtmlType(type)) return readHtml(text).text.trim();
  return isTextType(type) ? text.trim() : "";
}

/** The media type of a Content-Type header, in lower case and without parameters. */
export function parseMediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

export function isHtmlType(type: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml";
}

/** True for types that are text. A missing type counts as text. */
export function isTextType(type: string): boolean {
  return type === "" || type.startsWith("text/") || /json|xml|yaml/.test(type);
}
