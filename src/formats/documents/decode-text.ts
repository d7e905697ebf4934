import { FormatError } from "./format-error.ts";

const howToConvert =
  "convert it: iconv -f CP1252 -t UTF-8 old.csv > new.csv (CP1252 is Western; CP1251 Cyrillic, CP932 Japanese, GB18030 Chinese)";

/**
 * Decodes a file. Text in another encoding is refused with its line: replacement characters would otherwise be sent to the model and
 * scored.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    refuseBinary(new TextDecoder().decode(bytes));
    throw new FormatError(`this file is not UTF-8; save it as UTF-8 text, or ${howToConvert}`, {
      line: firstInvalidLine(bytes),
    });
  }
}

/** Bytes of multi-byte characters are never line breaks, so each line can be checked separately. */
function firstInvalidLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const rest = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, rest))) return line;
    start = rest + 1;
  }
  return line;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A control character other than white space. */
const isControl = (character: string): boolean => character < " " && character.trim() !== "";
/** Every second byte of ASCII text is 0 in UTF-16; its byte order mark is not valid UTF-8. */
const utf16 = /^(?:\uFFFD\uFFFD)?(?:\0[^\0]|[^\0]\0)/;

/** Refuses common non-text files: archives (spreadsheets, Inspect's `.eval` logs), UTF-16, images, PDF and Git LFS pointers. */
export function refuseBinary(text: string): void {
  const start = text.slice(0, 32);
  if (start.startsWith("PK\u0003\u0004")) {
    throw new FormatError(
      "this is an archive, not text; save a spreadsheet as CSV, and import an Inspect log on the command line or as JSON (`inspect log convert`)",
    );
  }
  if (text.startsWith("version https://git-lfs.github.com/spec/")) {
    throw new FormatError("this is a Git LFS pointer, not the file; fetch the file with `git lfs pull`");
  }
  if (utf16.test(start)) throw new FormatError("this is UTF-16 or binary; save the file as UTF-8 text");
  if (start.startsWith("%PDF-") || [...start].some(isControl)) throw new FormatError("this is a binary file, not text");
}

const markup = /^\s*<(?:!doctype|html|\?xml|promptfoo|testsuites?)\b/i;

/** Refuses saved web pages and XML reports, which would otherwise be read as a table with one odd column. */
export function refuseMarkup(text: string): void {
  if (markup.test(text.slice(0, 100)))
    throw new FormatError("this is HTML or XML; a scenario file is JSON, YAML or a table");
}

/** Refuses code, which is not run. A configuration of promptfoo can be written as JSON with one command. */
export function refuseCode(text: string, name = ""): void {
  const [, kind = ""] = /\.([cm]?[jt]sx?|py|rb|go)$/i.exec(name) ?? [];
  const isConfig = /promptfooconfig\.[cm]?[jt]s$/i.test(name) || isConfigModule(text);
  if (kind === "" && !isConfig) return;
  if (isConfig) throw new FormatError(promptfooCodeText(name || "promptfooconfig.js"));
  throw new FormatError(
    "this is code, which is not run; write the tests that it makes to a JSON or YAML file and import that file",
  );
}

const isConfigModule = (text: string): boolean =>
  /^\s*(?:\/\/|\/\*|import |const |module\.exports|export default)/.test(text) &&
  /\b(?:module\.exports|export default)\b/.test(text) &&
  /\bprompts\b/.test(text);

/** The answer to a promptfoo configuration in JavaScript or TypeScript. */
export function promptfooCodeText(name: string): string {
  const file = name.replace(/^.*[\\/]/, "");
  const script = `import('./${file}').then(async (m) => { let c = m.default ?? m; if (typeof c === 'function') c = c(); console.log(JSON.stringify(await c, (k, v) => (typeof v === 'function' ? 'file://${file}' : v))); })`;
  return `this promptfoo configuration is code, which is not run; write it as JSON, in its folder, with: node -e "${script}" > promptfooconfig.json`;
}
