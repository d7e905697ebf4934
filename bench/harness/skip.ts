/** Part of a bench cannot be measured here. The message is the one line that says why. */
export class Skip extends Error {
  override readonly name = "Skip";
}
