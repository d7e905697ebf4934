import { posix } from "node:path";
import type { SitePage } from "./navigation.ts";

/** The target of a Markdown link on the site. */
export type SiteLink =
  | { readonly kind: "page"; readonly target: string; readonly anchor: string }
  | { readonly kind: "file"; readonly source: string; readonly target: string }
  | { readonly kind: "outside" }
  /** A file of the repository that is not on the site. */
  | { readonly kind: "repository"; readonly path: string };

/** Resolves links as GitHub does: relative to their own file. */
export function createLinkReader(pages: readonly SitePage[]): (source: string, href: string) => SiteLink {
  const targets = new Map(pages.map(({ source, target }) => [source, target]));

  return (source, href) => {
    if (/^[a-z][a-z\d+.-]*:/i.test(href)) return { kind: "outside" };
    const [path = "", anchor = ""] = href.split("#", 2);
    const file = path === "" ? source : posix.join(posix.dirname(source), decodeURI(path)).replace(/\/$/, "");
    const target = targets.get(file);
    if (target !== undefined) return { kind: "page", target, anchor };
    if (/\.(png|svg)$/.test(file)) return { kind: "file", source: file, target: file.replace(/^docs\//, "") };
    return { kind: "repository", path: file };
  };
}

/** The relative address of one page from another, so that the site works below any path and from a disk. */
export function relativeAddress(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}
