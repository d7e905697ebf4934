import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import { toOpenApi, type OpenApiOptions } from "../../contract/operations/openapi.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

/** The files of Swagger UI that the page needs, with their content types. */
const assets = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};

/** A separate file, because the content security policy allows no inline script. */
const startScript = `SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
});
`;

/** `/openapi.json`, and a page for people at `/docs`. All files are local; nothing is loaded from outside. */
export function docsRoutes(options: OpenApiOptions): Hono<ShellEnvironment> {
  let document: string | undefined;
  const page = docsPage(options.title);

  const routes = new Hono<ShellEnvironment>()
    .get("/openapi.json", (context) => {
      document ??= JSON.stringify(toOpenApi(options));
      return context.body(document, 200, { "content-type": "application/json" });
    })
    .get("/docs", (context) => context.html(page))
    .get("/docs/start.js", (context) =>
      context.body(startScript, 200, { "content-type": "text/javascript; charset=utf-8" }),
    );
  // One route per file: a pattern would make Hono choose its slower router for every request of the service.
  for (const [name, type] of Object.entries(assets)) {
    routes.get(`/docs/${name}`, async (context) => {
      const file = findAsset(name);
      if (file === null) throw new ServiceError("not_found", "This part of the documentation is not installed.");
      return context.body(await readFile(file), 200, {
        "content-type": type,
        "cache-control": "public, max-age=86400",
      });
    });
  }
  return routes;
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
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/start.js" defer></script>
  </head>
  <body>
    <div id="swagger-ui"><p>The routes of this service are described in <a href="openapi.json">openapi.json</a>.</p></div>
  </body>
</html>
`;
}
