import { z } from "zod";
import { shortList } from "../../base/format.ts";
import { unwrapFence } from "../text/unwrap-fence.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck } from "./define-check.ts";

const longest = 1_000_000;

/** The reply (with `anywhere`: a part of it) is one well-formed XML element that has the wanted elements. */
export const xml = defineCheck({
  schema: z.object({
    type: z.literal("xml"),
    ...checkFields,
    elements: z.array(z.string().min(1)).max(100).optional(),
    anywhere: z.boolean().optional().describe("Also accepts XML inside other text."),
  }),
  id: "XmlSetting",
  label: "Valid XML",
  help: "1 when the reply is well-formed XML with these elements, each a path such as `order.id`.",
  form: {
    fresh: {},
    fields: { elements: { label: 'Required elements (["order.id"])' }, anywhere: "may be inside other text" },
  },
  runs: "thread",
  compile:
    ({ elements = [], anywhere = false }) =>
    ({ reply }) => {
      if (reply.raw.length > longest) return { value: null, reason: `longer than ${longest} characters`, failed: true };
      const text = unwrapFence(reply.raw);
      const found = anywhere ? documentsIn(text) : [readElement(text, skip(text, 0, prolog))].filter(isWhole(text));
      const [first] = found;
      if (!first) return { value: 0, reason: anywhere ? "no XML in the reply" : "the reply is not well-formed XML" };
      const missing = (paths: ReadonlySet<string>): string[] => elements.filter((path) => !paths.has(path));
      if (found.some(({ paths }) => missing(paths).length === 0)) return { value: 1, reason: "well-formed XML" };
      return { value: 0, reason: `missing elements: ${shortList(missing(first.paths))}` };
    },
});

interface XmlElement {
  /** The paths of all elements, as `order.id`. */
  readonly paths: ReadonlySet<string>;
  readonly end: number;
}

const isWhole =
  (text: string) =>
  (element: XmlElement | null): element is XmlElement =>
    element !== null && skip(text, element.end, misc) === text.length;

/** Comments and processing instructions may surround the root element; a document type may stand before it. */
const misc = /\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>/y;
const prolog = /\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>[]*(?:\[[\s\S]*?\]\s*)?>/y;

/** Skips pieces one by one: a repetition of the whole alternative would try every way to divide the text. */
function skip(text: string, from: number, piece: RegExp): number {
  let at = from;
  for (piece.lastIndex = at; piece.test(text); at = piece.lastIndex);
  return at;
}

/** The well-formed elements in a text, none inside another. */
function documentsIn(text: string): XmlElement[] {
  const found: XmlElement[] = [];
  let tries = 0;
  for (let at = text.indexOf("<"); at !== -1 && tries < 1_000; at = text.indexOf("<", at)) {
    const element = readElement(text, at);
    if (element) found.push(element);
    at = element?.end ?? at + 1;
    tries++;
  }
  return found;
}

const name = String.raw`[\p{L}_:][\p{L}\p{N}_:.\-]*`;
const token = new RegExp(
  String.raw`<!--(?:(?!--)[\s\S])*-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|</(${name})\s*>|<(${name})((?:\s+${name}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>|([^<]+)`,
  "uy",
);
const entity = /&(?!(?:[A-Za-z_][\w.-]*|#\d+|#x[\dA-Fa-f]+);)/;

/** Reads the element that begins at this place; null when it is not well-formed. */
function readElement(text: string, at: number): XmlElement | null {
  const open: string[] = [];
  const paths = new Set<string>();
  token.lastIndex = at;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [, closing, opening, attributes = "", selfClosing, characters] = match;
    if (opening !== undefined) {
      if (entity.test(attributes) || hasRepeats(attributes)) return null;
      open.push(opening);
      paths.add(open.join("."));
      if (open.length > 1) paths.add(open.slice(1).join("."));
      if (selfClosing) open.pop();
    } else if (closing !== undefined && open.pop() !== closing) return null;
    else if (characters !== undefined && (entity.test(characters) || open.length === 0)) return null;
    if (open.length === 0 && paths.size > 0) return { paths, end: token.lastIndex };
  }
  return null;
}

function hasRepeats(attributes: string): boolean {
  const names = [...attributes.matchAll(/\s+([^\s=]+)\s*=\s*(?:"[^"]*"|'[^']*')/gy)].map(([, found]) => found);
  return new Set(names).size < names.length;
}
