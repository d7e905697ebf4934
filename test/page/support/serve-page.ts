import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, resolve } from "node:path";

export const pageFolder = resolve(import.meta.dirname, "../../../web/dist");

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** The built page under the policy the agent backend sends: nothing inline, nothing from elsewhere. */
export function servePage(
  response: ServerResponse,
  { pathname, evaluation }: { pathname: string; evaluation: string },
): void {
  const asset = join(pageFolder, pathname);
  const isAsset = extname(pathname) !== "" && asset.startsWith(pageFolder) && existsSync(asset);
  const file = isAsset ? asset : join(pageFolder, "index.html");
  response.writeHead(200, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "x-content-type-options": "nosniff",
    ...(isAsset && { "cache-control": "max-age=31536000, immutable" }),
    "referrer-policy": "no-referrer",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${evaluation}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types default",
    ].join("; "),
  });
  response.end(readFileSync(file));
}
