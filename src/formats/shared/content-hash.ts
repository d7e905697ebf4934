const prime = 0x01000193;

/** FNV-1a over UTF-16 code units; different seeds give independent hashes. */
function fnv(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), prime);
    hash = Math.imul(hash ^ (unit >>> 8), prime);
  }
  return hash >>> 0;
}

/** Twelve hex digits, stable across platforms, for items without an id. Not cryptographic. */
export function contentHash(text: string): string {
  const digits = [0, 0x9e3779b9].map((seed) => fnv(text, seed).toString(16).padStart(8, "0"));
  return digits.join("").slice(0, 12);
}
