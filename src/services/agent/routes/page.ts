import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { Hono } from "hono";
import { agentOperations } from "../../../contract/operations/agent.ts";
import { ServiceError } from "../../../contract/service-error.ts";
import type { PageConfig } from "../../../contract/page-config.ts";
import { contentSecurityPolicy } from "../../http/security-headers.ts";
import type { Caller, ShellEnvironment } from "../../http/shell-environment.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** Addresses of the page itself: its screens are routes of the browser, all answered with the same document. */
const screens = /^\/(?:$|(?:runs|chat|new|compare|scenarios|models|settings)(?:\/|$))/;

const rootFiles = /^\/[\w-]+\.(?:svg|png|ico|txt|webmanifest)$/;

/** What may be read without a key: the page's files hold nothing of the user's. */
export function isPagePath(path: string): boolean {
  return screens.test(path) || path.startsWith("/assets/") || path === "/page/config" || rootFiles.test(path);
}

/** Where programs ask: nobody is shown a page there. */
const apiFolders = new Set([...agentOperations.map(({ path }) => folderOf(path)), "demo", "docs", "openapi.json"]);

/** Somebody followed a link, or typed an address, that leads to no screen. The page has a screen for that, too. */
export function isStrayVisit({ path, accept = "" }: { path: string; accept: string | undefined }): boolean {
  return accept.includes("text/html") && !screens.test(path) && !apiFolders.has(folderOf(path));
}

function folderOf(path: string): string {
  return path.split("/", 2)[1] ?? "";
}

/** What the page must know, as far as it is the same for everybody. */
export type ServedConfig = Omit<PageConfig, "keys_required">;

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

/** The page and what it must know at its start. Its files are read once; there are few and they never change while we run. */
export function pageRoutes({ folder, config }: { folder: string; config: () => ServedConfig }): Hono<ShellEnvironment> {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  return (
    new Hono<ShellEnvironment>()
      .get("/page/config", (context) => {
        // Where no key is needed, everybody is somebody.
        const keys_required = (context.get("caller") as Caller | undefined) === undefined;
        const body: PageConfig = { ...config(), keys_required };
        return context.json(body);
      })
      // The first by its name: a catch-all alone would not count among the methods of an address.
      .on("GET", ["/", "/*"], async (context, next) => {
        const { path } = context.req;
        const stray = isStrayVisit({ path, accept: context.req.header("accept") });
        if (!isPagePath(path) && !stray) return next();
        files ??= readPage(folder);
        const known = await files;
        const found = known.get(path) ?? (screens.test(path) ? known.get("/index.html") : undefined);
        const file = found ?? (stray ? known.get("/index.html") : undefined);
        if (!file) return screens.test(path) ? missingPage() : next();
        const immutable = path.startsWith("/assets/");
        const headers = {
          "content-type": file.type,
          etag: file.etag,
          "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
          "content-security-policy": pagePolicy(config().evaluation),
        };
        if (!found) return context.body(file.body, 404, { ...headers, "cache-control": "no-store" });
        if (context.req.header("if-none-match") === file.etag) return context.body(null, 304, headers);
        return context.body(file.body, 200, headers);
      })
  );
}

/** The page makes no markup out of text, and starts scripts and workers by its one policy only: the browser holds it to that. */
const pagePolicy = (evaluation: string): string =>
  `${contentSecurityPolicy({ connect: [evaluation] })}; require-trusted-types-for 'script'; trusted-types default`;

async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return new Map(
    await Promise.all(
      files.map(async (entry): Promise<[string, PageFile]> => {
        const path = join(entry.parentPath, entry.name);
        const body = new Uint8Array(await readFile(path));
        const type = mediaTypes[extname(entry.name)] ?? "application/octet-stream";
        const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
        return [path.slice(folder.length).split(sep).join("/").replace(/^\/?/, "/"), { body, type, etag }];
      }),
    ),
  );
}

function missingPage(): never {
  throw new ServiceError("not_found", "The page has not been built.", { hint: "Run `npm start`, which builds it." });
}
