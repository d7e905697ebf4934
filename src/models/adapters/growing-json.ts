import { isRecord } from "../../base/json.ts";
import { parseJson } from "./parse-json.ts";

/**
 * The text of a JSON object that arrives in pieces. Whether it is whole is asked with every piece, tens of thousands of
 * times for a long one: each character is looked at once, and the text is parsed at most once, when its last bracket came.
 */
export class GrowingJson {
  #text = "";
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #isOver = false;
  #isValid: boolean | null = null;

  constructor(text = "") {
    this.add(text);
  }

  get text(): string {
    return this.#text;
  }

  /** Whether it is an object, from its first bracket to its last. What comes after that makes it none. */
  get isWhole(): boolean {
    if (!this.#isOver) return false;
    this.#isValid ??= isRecord(parseJson(this.#text));
    return this.#isValid;
  }

  add(piece: string): void {
    this.#text += piece;
    if (this.#isOver) {
      if (piece.trim() !== "") this.#isValid = false;
      return;
    }
    for (let index = 0; index < piece.length && !this.#isOver; index += 1) this.#look(piece.charCodeAt(index));
  }

  #look(code: number): void {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === 92) this.#isEscaped = true;
      else if (code === 34) this.#inString = false;
    } else if (code === 34) this.#inString = true;
    else if (code === 91 || code === 123) this.#depth += 1;
    else if (code === 93 || code === 125) {
      this.#depth -= 1;
      this.#isOver = this.#depth <= 0;
    }
  }
}
