/** A piece of a reply as it is drawn. Only what is listed here reaches the page, whatever the text holds. */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  readonly tag: MarkdownTag;
  readonly children: readonly MarkdownNode[];
  /** Of a link or an image; absolute, to a web page or a mailbox. */
  readonly href?: string;
  /** Of an image. */
  readonly alt?: string;
  /** Of an ordered list. */
  readonly start?: number;
  /** Of a cell. */
  readonly align?: "left" | "center" | "right";
  /** Of an entry of a list of tasks. */
  readonly checked?: boolean;
}

export const markdownTags = [
  "a",
  "blockquote",
  "br",
  "code",
  "del",
  "em",
  "heading",
  "hr",
  "img",
  "input",
  "li",
  "ol",
  "p",
  "pre",
  "section",
  "strong",
  "sup",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "tr",
  "ul",
] as const;
export type MarkdownTag = (typeof markdownTags)[number];
