import { parseMarkdown, type MarkdownNode } from "./parse-markdown.ts";

/** `ready` is sent when the code is loaded: only then does the time limit of the first text start. */
export type WorkerMessage = { readonly state: "ready" } | { readonly state: "done"; readonly nodes: ParsedMarkdown };

export type ParsedMarkdown = readonly MarkdownNode[] | null;

const answer = (value: WorkerMessage): void => postMessage(value);

addEventListener("message", ({ data }: MessageEvent<string>) => answer({ state: "done", nodes: parseMarkdown(data) }));
answer({ state: "ready" });
