import type { NavigationGroup } from "./navigation.ts";
import type { RenderedPage } from "./render-page.ts";
import { relativeAddress } from "./site-links.ts";

interface TemplateOptions {
  readonly rendered: RenderedPage;
  readonly navigation: readonly NavigationGroup[];
  readonly titles: ReadonlyMap<string, string>;
}

/** A complete page of the site. All addresses are relative, and nothing is loaded from another host. */
export function pageTemplate({ rendered, navigation, titles }: TemplateOptions): string {
  const { page, title, html } = rendered;
  const to = (target: string): string => relativeAddress(page.target, target);
  const home = page.target === "index.html";
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${home ? "Rehearsal" : `${escapeHtml(title)} · Rehearsal`}</title>
    <link rel="icon" href="${to("icon.svg")}" type="image/svg+xml">
    <link rel="stylesheet" href="${to("site.css")}">
    <script src="${to("site.js")}" data-root="${to("index.html").replace(/index\.html$/, "")}"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
      <a class="name" href="${to("index.html")}">Rehearsal</a>
      <button type="button" class="search-button" data-search hidden>Search <kbd>/</kbd></button>
      <button type="button" data-theme-button hidden>Theme</button>
    </header>
    <div class="columns">
      <details class="menu" data-menu>
        <summary>All pages</summary>
        ${navigationList({ navigation, titles, current: page.target, to })}
      </details>
      <main id="content" tabindex="-1">
${html}
      </main>
      ${outline(rendered)}
    </div>
  </body>
</html>
`;
}

interface NavigationListOptions extends Pick<TemplateOptions, "navigation" | "titles"> {
  readonly current: string;
  readonly to: (target: string) => string;
}

function navigationList({ navigation, titles, current, to }: NavigationListOptions): string {
  const groups = navigation.map(({ title, pages }) => {
    const items = pages.map(({ target }) => {
      const here = target === current ? ' aria-current="page"' : "";
      return `<li><a href="${to(target)}"${here}>${escapeHtml(titles.get(target) ?? target)}</a></li>`;
    });
    return `<p>${escapeHtml(title)}</p><ul>${items.join("")}</ul>`;
  });
  return `<nav aria-label="Pages">${groups.join("")}</nav>`;
}

/** The outline of a page, if it has enough headings to need one. */
function outline({ headings }: RenderedPage): string {
  const inner = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = inner.length > 40 ? inner.filter(({ depth }) => depth === 2) : inner;
  if (shown.length < 3) return "";
  const items = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
