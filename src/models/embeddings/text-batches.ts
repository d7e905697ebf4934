/** What every server known to us takes in one request. */
const maximumTexts = 32;
const maximumCharacters = 100_000;

/** Cuts a list of texts into requests, in order. A text longer than a whole request goes alone. */
export function toBatches(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let size = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    size += text.length;
    if (last && last.length < maximumTexts && size <= maximumCharacters) last.push(text);
    else {
      batches.push([text]);
      size = text.length;
    }
  }
  return batches;
}
