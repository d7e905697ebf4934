/** One piece of a text: a word, digits, both, an address, or a single sign. White space separates pieces and is not one. */
export interface Token {
  readonly type: "word" | "digits" | "mixed" | "url" | "email" | "line" | "sign";
  readonly text: string;
  /** In lower case. */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

/** `unspaced`: letters of scripts that write no spaces, or none around numbers. In 共500元 the number is a word of its own. */
type CharacterClass = "sign" | "letter" | "unspaced" | "digit" | "space" | "line";

const classes: readonly CharacterClass[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === "\n") return "line";
  if (/\s/.test(character)) return "space";
  if (/\d/.test(character)) return "digit";
  return /[A-Za-z_]/.test(character) ? "letter" : "sign";
});
/** Digits of other scripts, each one code unit, so that places stay. */
const otherDigits = /(?![0-9])\p{Nd}/gu;
const ascii = /^[\t\n\r -~]*$/;
const wordCharacter = /^[\p{L}\p{M}]$/u;
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Arabic}\p{Script=Hebrew}]$/u;
const whiteSpace = /^\s$/u;
const addressStart = /(?:https?:\/\/|www\.)[^\s<>"“”«»`\\)\]}]+/iuy;
const mailHost = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/uy;
const longestMailName = 64;

/** Splits a text into its pieces. The places are those in the text. */
export function toTokens(text: string): Token[] {
  const plain = ascii.test(text) ? text : text.replace(otherDigits, toAsciiDigit);
  const tokens: Token[] = [];
  for (let at = 0; at < plain.length;) {
    const kind = classAt(plain, at);
    if (kind === "space") {
      at++;
    } else if (kind === "letter" || kind === "digit") {
      const url = startsAddress(plain, at) ? matchAt(addressStart, plain, at) : null;
      const token = url === null ? runAt(plain, at) : urlToken(url, at);
      tokens.push(token);
      at = token.end;
    } else if (kind === "unspaced") {
      const text = String.fromCodePoint(plain.codePointAt(at) ?? 0);
      tokens.push({ type: "word", text, lower: text, start: at, end: at + text.length });
      at += text.length;
    } else if (plain[at] === "@") {
      const mail = mailAt(plain, at, tokens);
      tokens.push(mail);
      at = mail.end;
    } else {
      const sign = String.fromCodePoint(plain.codePointAt(at) ?? 0);
      tokens.push({ type: kind, text: sign, lower: sign, start: at, end: at + sign.length });
      at += sign.length;
    }
  }
  return tokens;
}

function classAt(text: string, at: number): CharacterClass {
  const code = text.charCodeAt(at);
  if (code < 128) return classes[code] ?? "sign";
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (wordCharacter.test(character)) return code >= 0x0590 && unspaced.test(character) ? "unspaced" : "letter";
  return whiteSpace.test(character) ? "space" : "sign";
}

function runAt(text: string, start: number): Token {
  let end = start;
  let hasDigit = false;
  let hasLetter = false;
  for (; end < text.length; end++) {
    const kind = classAt(text, end);
    if (kind === "digit") hasDigit = true;
    else if (kind === "letter") hasLetter = true;
    else if (!isLowSurrogate(text, end)) break;
  }
  const shown = text.slice(start, end);
  const type = hasDigit ? (hasLetter ? "mixed" : "digits") : "word";
  return { type, text: shown, lower: hasLetter ? shown.toLowerCase() : shown, start, end };
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

const startsAddress = (text: string, at: number): boolean => {
  const first = text[at];
  return (
    (first === "h" || first === "w" || first === "H" || first === "W") &&
    /^(?:https?:|www\.)/i.test(text.slice(at, at + 6))
  );
};

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** The sign after an address belongs to the sentence. */
function urlToken(found: string, start: number): Token {
  const text = found.replace(/[.,;:!?*_'’]{1,8}$/u, "");
  return { type: "url", text, lower: text.toLowerCase(), start, end: start + text.length };
}

/** The mail address around an @, in place of the tokens of its first part; the sign alone where there is none. */
function mailAt(text: string, at: number, tokens: Token[]): Token {
  const host = matchAt(mailHost, text, at + 1);
  let start = at;
  let from = tokens.length;
  for (
    let before = tokens.at(from - 1);
    before?.end === start && at - before.start <= longestMailName;
    before = tokens[from - 1]
  ) {
    if (before.type === "sign" ? !/^[._%+-]$/.test(before.text) : before.type === "line") break;
    start = before.start;
    from--;
    if (from === 0) break;
  }
  if (host === null || start === at) return { type: "sign", text: "@", lower: "@", start: at, end: at + 1 };
  tokens.length = from;
  const found = text.slice(start, at + 1 + host.length);
  return { type: "email", text: found, lower: found.toLowerCase(), start, end: start + found.length };
}

/** The ten digits of a script are consecutive code points. */
function toAsciiDigit(digit: string): string {
  if (digit.length > 1) return digit;
  const code = digit.charCodeAt(0);
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCharCode(code - value - 1))) value++;
  return String(value);
}
