import type { MarkdownNode } from "./markdown-node.ts";
import { parseMarkdown } from "./parse-markdown.ts";

/** Told once the code is here: the time a text may take begins then, however slow the network is. */
export type ParserAnswer = { readonly state: "ready" } | { readonly state: "done"; readonly nodes: ParsedMarkdown };

export type ParsedMarkdown = readonly MarkdownNode[] | null;

const answer = (value: ParserAnswer): void => postMessage(value);

addEventListener("message", ({ data }: MessageEvent<string>) => answer({ state: "done", nodes: parseMarkdown(data) }));
answer({ state: "ready" });
