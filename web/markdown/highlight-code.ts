export type CodeTokenKind = "comment" | "string" | "number" | "keyword";

interface CodeToken {
  /** Undefined for plain text. */
  readonly kind?: CodeTokenKind;
  readonly text: string;
}

/** Longer blocks stay plain: colours help little there, and every token is an element of the page. */
const longest = 20_000;

type Family = "c" | "hash" | "sql" | "markup";

const families: Readonly<Record<string, Family>> = {
  ...group(
    "c",
    "js javascript jsx ts typescript tsx java c cpp c++ cs csharp go rust swift kotlin scala php dart json css scss",
  ),
  ...group("hash", "python py ruby rb bash sh shell zsh yaml yml toml ini dockerfile r perl elixir"),
  ...group("sql", "sql"),
  ...group("markup", "html xml svg vue"),
};

function group(family: Family, names: string): Record<string, Family> {
  return Object.fromEntries(names.split(" ").map((name) => [name, family]));
}

const comments: Readonly<Record<Family, string>> = {
  c: String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`,
  hash: String.raw`#[^\n]*`,
  sql: String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`,
  markup: String.raw`<!--[\s\S]*?(?:-->|$)`,
};

const keywords: ReadonlySet<string> = new Set(
  (
    "abstract and as async await begin break case catch class const constructor continue def default defer delete do elif else end " +
    "enum export extends false final finally fn for from func function if impl import in instanceof interface is lambda let loop " +
    "match mod module mut namespace new nil none not null of or package pass private protected pub public raise return select self " +
    "static struct super switch then this throw trait true try type typeof undefined use var void when where while with yield " +
    "insert update into values create table join left right inner outer on group by order having limit distinct union set"
  ).split(" "),
);

const strings = String.raw`"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|` + "`(?:\\\\.|[^`\\\\])*`?";
const rest = String.raw`(?<number>\b\d[\w.]*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)`;

const patterns = new Map(
  (Object.keys(comments) as Family[]).map((family) => [
    family,
    new RegExp(`(?<comment>${comments[family]})|(?<string>${strings})|${rest}`, "gu"),
  ]),
);

/** The tokens of a code block; one plain token for unknown languages. A rough grammar for reading, not for editing. */
export function highlightCode(code: string, language: string): readonly CodeToken[] {
  const pattern = patterns.get(families[language.toLowerCase()] ?? ("" as Family));
  if (!pattern || code.length > longest) return [{ text: code }];
  const tokens: CodeToken[] = [];
  let plain = "";
  let end = 0;
  const push = (text: string, kind?: CodeTokenKind): void => {
    if (kind === undefined) return void (plain += text);
    if (plain !== "") tokens.push({ text: plain });
    plain = "";
    tokens.push({ kind, text });
  };
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    push(code.slice(end, index));
    end = index + text.length;
    if (groups["comment"] !== undefined) push(text, "comment");
    else if (groups["string"] !== undefined) push(text, "string");
    else if (groups["number"] !== undefined) push(text, "number");
    else push(text, keywords.has(text.toLowerCase()) ? "keyword" : undefined);
  }
  push(code.slice(end));
  return plain === "" ? tokens : [...tokens, { text: plain }];
}
