import { contentText } from "./message-content.ts";
import { pauseAfter } from "./pause-after.ts";

/**
 * What Claude says in these blocks. Null when there is no text among them. What is cited comes in a block of its own, in the middle of a
 * sentence: only what something else came between is set apart.
 */
export function blocksText(blocks: readonly unknown[]): string | null {
  let text: string | null = null;
  let apart = false;
  for (const block of blocks) {
    const piece = contentText([block]);
    if (piece === null) apart = true;
    else if (piece === "") text ??= piece;
    else {
      const before: string = text ?? "";
      text = before + (apart ? pauseAfter(before) : "") + piece;
      apart = false;
    }
  }
  return text;
}
