/** A word of a line that can be typed as it is printed. Double quotes are understood on Windows too; what they do not hold is rare there. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(word)) return word;
  return /["$`!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}
