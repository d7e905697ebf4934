import MiniSearch from "minisearch";
import type { RenderedPage } from "./render-page.ts";
import { searchOptions, type SearchEntry } from "./search-options.ts";

/** The index over every section of every page, as a script: unlike JSON, a script also loads from a disk. */
export function searchIndexScript(pages: readonly RenderedPage[]): string {
  const index = new MiniSearch<SearchEntry>(searchOptions);
  index.addAll(pages.flatMap(entriesOf));
  return `globalThis.searchIndex = ${JSON.stringify(JSON.stringify(index))};\n`;
}

function entriesOf({ page, title, sections }: RenderedPage): SearchEntry[] {
  return sections.map(({ depth, id, text, body }) => ({
    id: `${page.target}${depth === 1 ? "" : `#${id}`}`,
    page: title,
    heading: text,
    body,
    start: body.replaceAll(/\s+/g, " ").slice(0, 160),
  }));
}
