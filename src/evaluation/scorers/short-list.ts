const maximumItems = 5;
const maximumLength = 24;

/** The first few items in a sentence: `refund, friday and 3 more`. Long ones are cut; the same one is named once. */
export function shortList(items: readonly string[]): string {
  const distinct = [...new Set(items)];
  const shown = distinct.slice(0, maximumItems).map(shorten);
  const rest = distinct.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** What is as it should be already, as most words are. */
const shortWord = /^[!-~]{1,24}$/;

/** One line of at most 24 characters without control characters, cut between code points. */
export function shorten(text: string): string {
  if (shortWord.test(text)) return text;
  const start = text.slice(0, 8 * maximumLength);
  const characters = Array.from(
    start
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim(),
  );
  if (characters.length <= maximumLength && start === text) return characters.join("");
  return `${characters.slice(0, maximumLength - 1).join("")}…`;
}
