import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { checkLinks } from "./check-links.ts";
import { navigation, type NavigationGroup } from "./navigation.ts";
import { pageTemplate } from "./page-template.ts";
import { renderPage } from "./render-page.ts";
import { searchIndexScript } from "./search-index.ts";
import { createLinkReader } from "./site-links.ts";

const root = resolve(import.meta.dirname, "..");

/** Builds the documentation site from the repository's Markdown into `folder`. Throws on a broken link. */
export async function buildSite(folder: string): Promise<void> {
  const groups = [...navigation, decisions()];
  const pages = groups.flatMap(({ pages: members }) => members);
  const readLink = createLinkReader(pages);
  const rendered = pages.map((page) =>
    renderPage({ page, markdown: readFileSync(join(root, page.source), "utf8"), readLink }),
  );
  const broken = checkLinks(rendered, root);
  if (broken.length > 0) throw new Error(broken.join("\n"));

  const titles = new Map(rendered.map(({ page, title }) => [page.target, title]));
  for (const page of rendered) {
    write(join(folder, page.page.target), pageTemplate({ rendered: page, navigation: groups, titles }));
    for (const { link } of page.links) {
      if (link.kind === "file") copy(join(root, link.source), join(folder, link.target));
    }
  }
  write(join(folder, "search-index.js"), searchIndexScript(rendered));
  write(join(folder, "llms.txt"), llmsText(groups, titles));
  for (const { source } of pages) copy(join(root, source), join(folder, markdownOf(source)));
  copy(join(root, "SKILL.md"), join(folder, "SKILL.md"));
  copy(join(import.meta.dirname, "browser/site.css"), join(folder, "site.css"));
  copy(join(root, "web/public/icon.svg"), join(folder, "icon.svg"));
  await bundleScript(join(folder, "site.js"));
}

const markdownOf = (source: string): string => source.replace(/^docs\//, "");

/** https://llmstxt.org: the pages as Markdown, for assistants. */
function llmsText(groups: readonly NavigationGroup[], titles: ReadonlyMap<string, string>): string {
  const line = ({ source, target, label }: NavigationGroup["pages"][number]): string =>
    `- [${label ?? titles.get(target) ?? target}](${markdownOf(source)})`;
  const sections = groups.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join("\n")}\n`);
  const lead = /^# Rehearsal\n\n([\s\S]+?)\n\n/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1] ?? "";
  const skill = "How to install it, write a scenario, run it, read the result and add a gate: [SKILL.md](SKILL.md)";
  return `# Rehearsal\n\n> ${lead.replaceAll("\n", " ")}\n\n${skill}\n\n${sections.join("\n")}`;
}

/** Lists the decisions from their folder; each page has its own title. */
function decisions(): NavigationGroup {
  const names = readdirSync(join(root, "docs/decisions")).filter((name) => name.endsWith(".md"));
  const pages = names.toSorted().map((name) => ({
    source: `docs/decisions/${name}`,
    target: `decisions/${name.replace(/\.md$/, ".html")}`,
  }));
  return { title: "Decisions", pages };
}

/** A classic script, because modules do not load from a disk. */
async function bundleScript(file: string): Promise<void> {
  const bundle = await rolldown({ input: join(import.meta.dirname, "browser/site.ts"), platform: "browser" });
  await bundle.write({ file, format: "iife", minify: true });
  await bundle.close();
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
