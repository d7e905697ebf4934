/** Steps that the engine's own search, which multiplies the lengths at its worst, makes in some milliseconds. */
const quickSteps = 10_000_000;

/** Whether a text holds another, in time that grows with their lengths together (Knuth, Morris and Pratt 1977). */
export function isPartOf(part: string, text: string): boolean {
  if (part.length > text.length) return false;
  if (part.length * text.length <= quickSteps) return text.includes(part);
  const borders = bordersOf(part);
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each beginning of a text, how much of its own beginning it ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] as number;
    if (text.charCodeAt(length) === code) length++;
    borders[index] = length;
  }
  return borders;
}
