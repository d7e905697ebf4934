import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RenderedPage } from "./render-page.ts";

/** Broken links to pages, headings and files, one line each. */
export function checkLinks(pages: readonly RenderedPage[], root: string): string[] {
  const anchors = new Map(pages.map(({ page, headings }) => [page.target, new Set(headings.map(({ id }) => id))]));
  return pages.flatMap(({ page, links }) =>
    links.flatMap(({ href, link }) => {
      const wrong =
        (link.kind === "page" && link.anchor !== "" && !anchors.get(link.target)?.has(link.anchor)) ||
        (link.kind === "repository" && !existsSync(join(root, link.path))) ||
        (link.kind === "file" && !existsSync(join(root, link.source)));
      return wrong ? [`${page.source}: broken link ${href}`] : [];
    }),
  );
}
