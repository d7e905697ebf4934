/** Tokens a text has for most models, roughly: four characters of a spaced script a token, one of a script without spaces. */
export function estimateTokens(text: string): number {
  const dense =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu)?.length ?? 0;
  return Math.ceil(dense + (text.length - dense) / 4);
}
