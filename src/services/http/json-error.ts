/** Where a text stops being JSON, and what stands there; null for the end of the text. */
interface JsonError {
  readonly offset: number;
  readonly found: string | null;
}

/**
 * Finds the first character that makes a text invalid JSON, or null when it is valid. The parser's own message often has
 * no position, and quotes the text. Nesting is bounded before this is called, so it may recurse.
 */
export function findJsonError(text: string): JsonError | null {
  const scanner = new Scanner(text);
  try {
    scanner.document();
    return null;
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    const found = text.codePointAt(scanner.index);
    return { offset: scanner.index, found: found === undefined ? null : String.fromCodePoint(found) };
  }
}

class Unexpected extends Error {}

const space = /[ \t\n\r]*/y;
const digits = /[0-9]*/y;
/** Characters of a string that need no look: no quote, no backslash, no control character. */
const plain = /[ !#-[\]-\uffff]*/y;

class Scanner {
  index = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#space();
    if (this.index < this.#text.length) throw new Unexpected();
  }

  #value(): void {
    this.#space();
    const character = this.#text[this.index];
    if (character === "{") this.#members("}", () => this.#member());
    else if (character === "[") this.#members("]", () => this.#value());
    else if (character === '"') this.#string();
    else if (character === "t") this.#word("true");
    else if (character === "f") this.#word("false");
    else if (character === "n") this.#word("null");
    else this.#number();
  }

  #members(end: string, member: () => void): void {
    this.index += 1;
    this.#space();
    if (this.#take(end)) return;
    do {
      member();
      this.#space();
    } while (this.#take(","));
    this.#expect(end);
  }

  #member(): void {
    this.#space();
    this.#string();
    this.#space();
    this.#expect(":");
    this.#value();
  }

  #string(): void {
    this.#expect('"');
    for (this.#skip(plain); !this.#take('"'); this.#skip(plain)) {
      this.#expect("\\");
      this.#escape();
    }
  }

  #escape(): void {
    if (!this.#take("u")) return this.#one(/["\\/bfnrt]/);
    for (let digit = 0; digit < 4; digit += 1) this.#one(/[0-9a-fA-F]/);
  }

  #number(): void {
    this.#take("-");
    if (!this.#take("0")) this.#digits();
    if (this.#take(".")) this.#digits();
    if (this.#take("e") || this.#take("E")) {
      if (!this.#take("+")) this.#take("-");
      this.#digits();
    }
  }

  #digits(): void {
    this.#one(/[0-9]/);
    this.#skip(digits);
  }

  #word(word: string): void {
    for (const letter of word) this.#expect(letter);
  }

  #space(): void {
    this.#skip(space);
  }

  #skip(run: RegExp): void {
    run.lastIndex = this.index;
    run.test(this.#text);
    this.index = run.lastIndex;
  }

  #one(allowed: RegExp): void {
    if (!allowed.test(this.#text[this.index] ?? "")) throw new Unexpected();
    this.index += 1;
  }

  #take(character: string): boolean {
    if (this.#text[this.index] !== character) return false;
    this.index += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw new Unexpected();
  }
}
