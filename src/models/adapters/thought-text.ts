/** A piece of a reply, sorted. */
export interface SortedText {
  readonly said: string;
  readonly thought: string;
}

const tag = "<think>";
const wholly = (said: string): SortedText => ({ said, thought: "" });

/**
 * Sorts what a model thinks from what it says, where both come in one text: servers that do not know how their model thinks leave
 * it before the reply, between `<think>` and `</think>`, and Gemini sends its own between `<thought>` and `</thought>`, marked.
 */
export class ThoughtText {
  #state: "beginning" | "thought" | "after" | "said" = "beginning";
  #closing = "</think>";
  /** White space before all else. Some models write it without end: it is not looked at again with every piece. */
  #blank = "";
  /** What cannot be sorted yet: it may be the beginning of a tag. */
  #held = "";
  /** An open thought as it was written: without an end it may be the reply. */
  #open = "";
  /** What was marked as thought and has no tag. */
  #untagged = "";

  /** Whether the reply has begun: from then on nothing needs to be sorted but what is marked. */
  get isSaid(): boolean {
    return this.#state === "said";
  }

  /** `marked`: the server says that the piece is thought. */
  add(piece: string, { marked = false }: { marked?: boolean } = {}): SortedText {
    if (marked) return this.#addMarked(piece);
    return this.#sort(this.#held + piece);
  }

  /** What is said after all, at the end. `mayBeReply`: a thought that has no end was the reply, since nothing cut it off. */
  finish({ mayBeReply }: { mayBeReply: boolean }): string {
    // Gemini has marked whole replies so.
    if (this.#state === "beginning") return this.#blank + this.#held || (mayBeReply ? this.#untagged : "");
    return this.#state === "thought" && mayBeReply ? this.#open + this.#held : "";
  }

  #addMarked(piece: string): SortedText {
    const opening = "<thought>";
    if (this.#state === "thought") return this.#sort(this.#held + piece);
    if (!piece.startsWith(opening)) {
      this.#untagged += piece;
      return { said: "", thought: piece };
    }
    this.#closing = "</thought>";
    this.#state = "thought";
    return this.#sort(piece.slice(opening.length));
  }

  #sort(text: string): SortedText {
    this.#held = "";
    switch (this.#state) {
      case "beginning":
        return this.#begin(text);
      case "thought":
        return this.#think(text);
      case "after":
        return this.#begunToSpeak(text);
      default:
        return wholly(text);
    }
  }

  #begin(text: string): SortedText {
    const begun = text.trimStart();
    this.#blank += text.slice(0, text.length - begun.length);
    if (begun.startsWith(tag)) {
      this.#state = "thought";
      this.#open = this.#blank + tag;
      return this.#think(begun.slice(tag.length));
    }
    if (tag.startsWith(begun)) {
      this.#held = begun;
      return wholly("");
    }
    this.#state = "said";
    return wholly(this.#blank + begun);
  }

  #think(text: string): SortedText {
    const end = text.indexOf(this.#closing);
    if (end === -1) {
      const sure = text.length - heldBack(text, this.#closing);
      this.#held = text.slice(sure);
      return this.#thought(text.slice(0, sure));
    }
    this.#state = "after";
    const { thought } = this.#thought(text.slice(0, end));
    this.#open = "";
    return { thought, said: this.#begunToSpeak(text.slice(end + this.#closing.length)).said };
  }

  #thought(thought: string): SortedText {
    this.#open += thought;
    return { said: "", thought };
  }

  /** The lines between a thought and the reply belong to neither. */
  #begunToSpeak(text: string): SortedText {
    const said = text.trimStart();
    if (said !== "") this.#state = "said";
    return wholly(said);
  }
}

/** How many characters at the end of a text may be the beginning of a tag. */
function heldBack(text: string, closing: string): number {
  const longest = Math.min(text.length, closing.length - 1);
  for (let length = longest; length > 0; length -= 1) if (closing.startsWith(text.slice(-length))) return length;
  return 0;
}
