/** `includes` takes the product of both lengths at worst; up to this product that is a few milliseconds. */
const quickSteps = 10_000_000;

/** Substring search in linear time (Knuth, Morris and Pratt 1977). */
export function isSubstring(part: string, text: string): boolean {
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

/** The failure function: for each prefix, the length of its longest proper prefix that is also a suffix. */
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
