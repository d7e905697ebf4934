import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { agentAddresses } from "../../../contract/operations/addresses.ts";
import type { PageConfig } from "../../../contract/schemas/shared/service-info.ts";
import { targetHost } from "../../http/checks/host-check.ts";
import { compressedFile, type CompressedFile } from "../../http/responses/compression.ts";
import { contentSecurityPolicy } from "../../http/responses/response-headers.ts";
import type { PublicFiles } from "../../http/shell.ts";

/** Screens of the page: the browser routes them, so all are answered with the same document. */
const screens =
  /^\/(?:$|(?:runs|chat|new|compare|rank|history|review|audit|scenarios|models|connect|agents|settings)(?:\/|$))/;

const rootFiles = /^\/[\w-]+\.(?:svg|png|ico|txt|webmanifest)$/;

/** Paths that need no API key: the page's files contain no data of the user. */
function isPagePath(path: string): boolean {
  return screens.test(path) || path.startsWith("/assets/") || path === "/page/config" || rootFiles.test(path);
}

/** Top-level path segments of the API: no page is shown there. */
const apiFolders = new Set([
  ...Object.values(agentAddresses).map((address) => folderOf(address.slice(address.indexOf("/")))),
  "demo",
  "docs",
  "openapi.json",
]);

/** True when a browser asks for a path that is neither a screen nor part of the API: the page has a not-found screen. */
function showsNotFoundScreen({ path, accept = "" }: { path: string; accept: string | undefined }): boolean {
  return accept.includes("text/html") && !screens.test(path) && !apiFolders.has(folderOf(path));
}

function folderOf(path: string): string {
  return path.split("/", 2)[1] ?? "";
}

/** The part of the page's configuration that is the same for all visitors. */
type ServedConfig = Omit<PageConfig, "keys_required">;

export interface PageParts {
  readonly folder: string;
  /** The configuration for a page that is served at this host. */
  readonly config: (host: string) => ServedConfig;
}

/** The files of the page, and its document for the address of every screen. */
export function createPageFiles({ folder, config }: PageParts): PublicFiles {
  const files = pageFilesOf(folder);

  return {
    has: ({ path, accept }) => isPagePath(path) || showsNotFoundScreen({ path, accept }),
    async answer(context) {
      const { path } = context.req;
      const stray = showsNotFoundScreen({ path, accept: context.req.header("accept") });
      const known = await files();
      const found = known.get(path) ?? (screens.test(path) ? known.get("/index.html") : undefined);
      const file = found ?? (stray ? known.get("/index.html") : undefined);
      if (!file) return screens.test(path) ? missingPage() : null;
      const immutable = path.startsWith("/assets/");
      const sent = await file.representation(context.req.header("accept-encoding"));
      const headers = {
        ...sent.headers,
        "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
        "content-security-policy": pagePolicy(config(targetHost(context.req.url)).evaluation),
      };
      if (!found) return context.body(sent.body, 404, { ...headers, "cache-control": "no-store" });
      if (context.req.header("if-none-match") === sent.headers["etag"]) return context.body(null, 304, headers);
      return context.body(sent.body, 200, headers);
    },
  };
}

/**
 * Reads the page's files once: they are few and do not change while the process runs. A read that failed or found no page is
 * repeated for the next request.
 */
function pageFilesOf(folder: string): () => Promise<ReadonlyMap<string, CompressedFile>> {
  let files: Promise<ReadonlyMap<string, CompressedFile>> | undefined;
  const forget = (): void => void (files = undefined);

  return () => {
    if (files) return files;
    const reading = readPageFiles(folder);
    files = reading;
    reading.then((known) => known.has("/index.html") || forget(), forget);
    return reading;
  };
}

/** Trusted Types: the browser blocks markup made from text, and scripts or workers that bypass the page's policy. */
const pagePolicy = (evaluation: string): string =>
  `${contentSecurityPolicy({ connect: [evaluation] })}; require-trusted-types-for 'script'; trusted-types default`;

export function missingPage(): never {
  throw new ServiceError("not_found", "The page has not been built.", { hint: "Run `npm start`, which builds it." });
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** All files of the built page, by path; empty when the folder does not exist. */
async function readPageFiles(folder: string): Promise<ReadonlyMap<string, CompressedFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return [];
    },
  );
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return new Map(
    await Promise.all(
      files.map(async (entry): Promise<[string, CompressedFile]> => {
        const path = join(entry.parentPath, entry.name);
        const type = mediaTypes[extname(entry.name)] ?? "application/octet-stream";
        const file = compressedFile(new Uint8Array(await readFile(path)), type);
        return [path.slice(folder.length).split(sep).join("/").replace(/^\/?/, "/"), file];
      }),
    ),
  );
}
