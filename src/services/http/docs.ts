import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { toOpenApi, type OpenApiOptions } from "../../contract/operations/openapi.ts";
import { compressedFile, type CompressedFile } from "./responses/compression.ts";
import { defineRoute, type Route } from "./route.ts";

/** The files of Swagger UI that the page needs, with their content types. */
const assets = new Map([
  ["swagger-ui.css", "text/css; charset=utf-8"],
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
]);

/** A separate file, because the content security policy allows no inline script. */
const startScript = `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
follow();
dark.addEventListener("change", follow);
SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
});
// Corrects the markup of Swagger UI for screen readers: links inside buttons, and headings that skip a level.
const correct = () => {
  for (const link of document.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href");
  for (const heading of document.querySelectorAll("h3.opblock-tag, section.models h4")) heading.ariaLevel ??= "2";
  for (const heading of document.querySelectorAll(".opblock-body h4, .opblock-body h5")) heading.ariaLevel ??= "3";
  for (const control of document.querySelectorAll("textarea.body-param__text:not([aria-label])"))
    control.ariaLabel = "Request body";
  for (const control of document.querySelectorAll("select:not([aria-label])")) control.ariaLabel = "Choice";
  for (const part of document.querySelectorAll(".information-container, .schemes-server-container"))
    part.role ??= "region";
  for (const part of document.querySelectorAll(".information-container")) part.ariaLabel ??= "About";
  for (const part of document.querySelectorAll(".schemes-server-container")) part.ariaLabel ??= "Server";
  for (const part of document.querySelectorAll(".responses-table[role]")) part.ariaLabel ??= part.id.replaceAll("_", " ");
  for (const region of document.querySelectorAll(".microlight:not([tabindex]), .highlight-code > pre:not([tabindex])"))
    region.tabIndex = 0;
};
let waiting = 0;
const correctSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(correct, 100);
};
new MutationObserver(correctSoon).observe(document.body, { childList: true, subtree: true });
`;

/** Keeps the page dark before the script runs, and corrects contrasts of Swagger UI. */
const style = `:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) { html { background: #1c2022; } }
.swagger-ui .info .title small { background: #5a6170; }
.swagger-ui .info .title small.version-stamp { background: #3f6b00; }
.swagger-ui .info .title small pre, .swagger-ui .info .title small .version { color: #fff; }
.swagger-ui .info .url, .swagger-ui .info a { color: #1f5fbf; }
.swagger-ui .btn.authorize { color: #17693d; border-color: #17693d; }
.swagger-ui .btn.authorize svg { fill: #17693d; }
.swagger-ui .btn.execute { background: #1f5fbf; border-color: #1f5fbf; }
.swagger-ui .btn.cancel, .swagger-ui .btn.try-out__btn.cancel { color: #a8231c; border-color: #a8231c; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #6b1fa8; }
.swagger-ui .parameter__in, .swagger-ui .prop-format, .swagger-ui .parameter__deprecated { color: #595959; }
.swagger-ui .parameter__name.required::after, .swagger-ui .parameter__name.required span { color: #a8231c; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fbf; color: #fff; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17693d; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6b63; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #a8231c; }
.swagger-ui .microlight [style*="rgb(211, 99, 99)"] { color: #ffb4ae !important; }
.swagger-ui .microlight [style*="rgb(252, 194, 140)"] { color: #fcc28c !important; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #595959; }
html.dark-mode .swagger-ui .info .url, html.dark-mode .swagger-ui .info a { color: #9db8ff; }
html.dark-mode .swagger-ui .btn.authorize { color: #78d6a0; border-color: #78d6a0; }
html.dark-mode .swagger-ui .btn.authorize svg { fill: #78d6a0; }
html.dark-mode .swagger-ui .btn.cancel, html.dark-mode .swagger-ui .try-out .btn.try-out__btn.cancel { color: #ffb4ae; border-color: #ffb4ae; }
html.dark-mode .swagger-ui .markdown code, html.dark-mode .swagger-ui .renderedMarkdown code { color: #d3b8ff; }
html.dark-mode .swagger-ui .parameter__in, html.dark-mode .swagger-ui .prop-format { color: #c3c7cd; }
html.dark-mode .swagger-ui .parameter__name.required::after, html.dark-mode .swagger-ui .parameter__name.required span { color: #ffb4ae; }
html.dark-mode .swagger-ui .header-col, html.dark-mode .swagger-ui .headers td, html.dark-mode .swagger-ui .headers th { color: #e4e6e6; }
`;

export type DocsOptions = Omit<OpenApiOptions, "operations">;

/** `/openapi.json`, and a page for people at `/docs`. All files are local; nothing is loaded from outside. */
export function docsRoutes(options: DocsOptions, operations: () => readonly Operation[]): readonly Route[] {
  const page = docsPage(options.title);
  const loaded = new Map<string, CompressedFile>();
  let document: CompressedFile | undefined;

  return [
    defineRoute({ address: "GET /openapi.json", scope: "public" }, () => async ({ context }) => {
      const text = (): string => JSON.stringify(toOpenApi({ ...options, operations: operations() }));
      document ??= compressedFile(new TextEncoder().encode(text()), "application/json");
      const { body, headers } = await document.representation(context.req.header("accept-encoding"));
      return context.body(body, 200, headers);
    }),
    defineRoute(
      { address: "GET /docs", scope: "public" },
      () =>
        ({ context }) =>
          context.html(page),
    ),
    defineRoute({ address: "GET /docs/{file*}", scope: "public" }, () => async ({ context, params: { file } }) => {
      if (file === "style.css") return context.body(style, 200, { "content-type": "text/css; charset=utf-8" });
      if (file === "start.js")
        return context.body(startScript, 200, { "content-type": "text/javascript; charset=utf-8" });
      const type = assets.get(file);
      const path = type === undefined ? null : findAsset(file);
      if (type === undefined || path === null)
        throw new ServiceError("not_found", "This part of the documentation is not installed.");
      const asset = loaded.get(file) ?? compressedFile(new Uint8Array(await readFile(path)), type);
      loaded.set(file, asset);
      const { body, headers } = await asset.representation(context.req.header("accept-encoding"));
      return context.body(body, 200, { ...headers, "cache-control": "public, max-age=86400" });
    }),
  ];
}

/** Found beside the built page in the package, or in the repository's dependency. */
function findAsset(name: string): string | null {
  const built = fileURLToPath(new URL(`../../../web/dist/docs/${name}`, import.meta.url));
  if (existsSync(built)) return built;
  try {
    const manifest = createRequire(import.meta.url).resolve("swagger-ui-dist/package.json");
    return join(dirname(manifest), name);
  } catch {
    return null;
  }
}

function docsPage(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="stylesheet" href="docs/style.css" />
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/start.js" defer></script>
  </head>
  <body>
    <div id="swagger-ui"><p>The routes of this service are described in <a href="openapi.json">openapi.json</a>.</p></div>
  </body>
</html>
`;
}
