/** Whether a header can carry a text as it is: printable ASCII, with single spaces between words. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text);
}
