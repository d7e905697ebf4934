/** A text of at most `bytes` UTF-8 bytes, and a marker that says how much there was when it had to be cut. */
export function capBytes(text: string, bytes: number): string {
  // One UTF-16 unit is at most three bytes, so most texts need no count.
  if (text.length * 3 <= bytes) return text;
  const size = Buffer.byteLength(text);
  if (size <= bytes) return text;
  return `${firstBytes(text, bytes)}\n[cut: the first ${bytes} of ${size} bytes are shown]`;
}

/** The longest beginning of a text that takes at most `bytes` bytes of UTF-8, in whole characters. */
export function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text.slice(0, bytes), new Uint8Array(bytes));
  return text.slice(0, read);
}
