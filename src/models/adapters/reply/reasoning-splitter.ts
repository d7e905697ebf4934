/** A chunk of a reply, split into reply and reasoning. */
interface SplitText {
  readonly said: string;
  readonly thought: string;
}

const tag = "<think>";
const wholly = (said: string): SplitText => ({ said, thought: "" });

/**
 * Separates reasoning from the reply where both arrive in one text. Servers without support for a model's reasoning leave it
 * before the reply between `<think>` and `</think>`; Gemini marks its own between `<thought>` and `</thought>`.
 */
export class ReasoningSplitter {
  #state: "beginning" | "thought" | "after" | "said" = "beginning";
  #closing = "</think>";
  /** Leading white space. Some models write it endlessly, so it is not scanned again with every chunk. */
  #blank = "";
  /** Text that may be the beginning of a tag. */
  #held = "";
  /** Unfinished reasoning as written: without an end it may be the reply. */
  #open = "";
  /** Text that the server marked as reasoning, without a tag. */
  #untagged = "";

  /** True once the reply has begun: from then on only marked text is reasoning. */
  get isSaid(): boolean {
    return this.#state === "said";
  }

  /** `marked`: the server marked the chunk as reasoning. */
  add(piece: string, { marked = false }: { marked?: boolean } = {}): SplitText {
    if (marked) return this.#addMarked(piece);
    return this.#sort(this.#held + piece);
  }

  /** The rest of the reply at the end. `mayBeReply`: unfinished reasoning is the reply, because the text was not cut off. */
  finish({ mayBeReply }: { mayBeReply: boolean }): string {
    // Gemini marks whole replies as reasoning.
    if (this.#state === "beginning") return this.#blank + this.#held || (mayBeReply ? this.#untagged : "");
    return this.#state === "thought" && mayBeReply ? this.#open + this.#held : "";
  }

  #addMarked(piece: string): SplitText {
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

  #sort(text: string): SplitText {
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

  #begin(text: string): SplitText {
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

  #think(text: string): SplitText {
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

  #thought(thought: string): SplitText {
    this.#open += thought;
    return { said: "", thought };
  }

  /** Blank lines between reasoning and reply belong to neither. */
  #begunToSpeak(text: string): SplitText {
    const said = text.trimStart();
    if (said !== "") this.#state = "said";
    return wholly(said);
  }
}

/** The number of characters at the end of a text that may begin a tag. */
function heldBack(text: string, closing: string): number {
  const longest = Math.min(text.length, closing.length - 1);
  for (let length = longest; length > 0; length -= 1) if (closing.startsWith(text.slice(-length))) return length;
  return 0;
}

const [opening, closing] = ["<think>", "</think>"];

/**
 * Separates reasoning that has a closing tag only: the prompts of DeepSeek R1, QwQ and others end in `<think>`, so the model
 * writes just the rest, and some servers send that as the reply. The tag must be next to a line break; else the text only mentions it.
 */
export function splitUnopenedReasoning(text: string): SplitText {
  const end = text.indexOf(closing);
  const [thought, said] = [text.slice(0, end), text.slice(end + closing.length)];
  const isThought = end !== -1 && !thought.includes(opening) && (/\n[ \t]*$/.test(thought) || /^[ \t]*\n/.test(said));
  if (!isThought || said.trim() === "") return { said: text, thought: "" };
  return { said: said.trimStart(), thought: thought.trim() };
}
