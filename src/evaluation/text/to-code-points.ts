/** The code points of a text; a lone surrogate counts as one. */
export function toCodePoints(text: string): Int32Array {
  const codePoints = new Int32Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const codePoint = text.codePointAt(index) as number;
    codePoints[length++] = codePoint;
    if (codePoint > 0xffff) index++;
  }
  return codePoints.subarray(0, length);
}
