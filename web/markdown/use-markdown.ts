import { useEffect, useState } from "react";
import type { ParsedMarkdown } from "./markdown.worker.ts";
import { parseInWorker } from "./parse-in-worker.ts";

/** Characters of the texts whose Markdown is kept, so that what was seen before is drawn at once. */
const keptCharacters = 1_000_000;

/** The one read last stands last. */
const kept = new Map<string, ParsedMarkdown>();

/** What a text is as Markdown, once that is known; null until then, and where it cannot be drawn. */
export function useMarkdown(text: string): ParsedMarkdown {
  const [nodes, setNodes] = useState(() => kept.get(text) ?? null);
  useEffect(() => {
    if (kept.has(text)) return;
    let current = true;
    const show = (parsed: ParsedMarkdown): void => {
      keep(text, parsed);
      if (current) setNodes(parsed);
    };
    parseInWorker(text).then(show, stayPlain);
    return () => {
      current = false;
    };
  }, [text]);
  return nodes;
}

/** What could not be read now is read when it is next shown. */
const stayPlain = (): void => undefined;

function keep(text: string, parsed: ParsedMarkdown): void {
  kept.set(text, parsed);
  let characters = 0;
  for (const known of kept.keys()) characters += known.length;
  for (const known of kept.keys()) {
    if (characters <= keptCharacters) return;
    kept.delete(known);
    characters -= known.length;
  }
}
