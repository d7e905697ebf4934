/**
 * The text of a file or page. Its own byte order mark counts first, then the character set somebody `declared`, then what the
 * bytes are: valid UTF-8, what a page says of itself, or windows-1252, as browsers read old files.
 */
export function decodeText(bytes: Uint8Array, { declared }: { declared?: string | undefined } = {}): string {
  const known = charsetOfMark(bytes) ?? declared;
  const decoder = known === undefined ? null : decoderFor(known);
  return decoder ? decoder.decode(bytes) : guess(bytes);
}

function charsetOfMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function guess(bytes: Uint8Array): string {
  const inPage = charsetInPage(bytes);
  // Written without a byte beyond ASCII, so it is valid UTF-8 as well.
  if (inPage === "iso-2022-jp") return new TextDecoder(inPage).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const decoder = inPage === undefined ? null : decoderFor(inPage);
    return (decoder ?? new TextDecoder("windows-1252")).decode(bytes);
  }
}

/** Where browsers look for it. */
const headBytes = 1024;

function charsetInPage(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, headBytes));
  return /<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1]?.toLowerCase();
}

/** null for a name that is no character set. */
function decoderFor(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
