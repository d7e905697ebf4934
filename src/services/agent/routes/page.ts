import { Hono } from "hono";
import { agentOperations } from "../../../contract/operations/agent.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { PageConfig } from "../../../contract/schemas/service-info.ts";
import { targetHost } from "../../http/checks/host-check.ts";
import { contentSecurityPolicy } from "../../http/responses/response-headers.ts";
import type { Caller, ShellEnvironment } from "../../http/shell-environment.ts";
import { readPageFiles, type PageFile } from "./page-files.ts";

/** Addresses of the page itself: its screens are routes of the browser, all answered with the same document. */
const screens = /^\/(?:$|(?:runs|chat|new|compare|rank|audit|scenarios|models|settings)(?:\/|$))/;

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
type ServedConfig = Omit<PageConfig, "keys_required">;

export interface PageParts {
  readonly folder: string;
  /** For a page that was asked for at this host. */
  readonly config: (host: string) => ServedConfig;
}

/** The page and what it must know at its start. */
export function pageRoutes({ folder, config }: PageParts): Hono<ShellEnvironment> {
  const files = pageFilesOf(folder);

  return (
    new Hono<ShellEnvironment>()
      .get("/page/config", (context) => {
        // Where no key is needed, everybody is somebody.
        const keys_required = (context.get("caller") as Caller | undefined) === undefined;
        const body: PageConfig = { ...config(targetHost(context.req.url)), keys_required };
        return context.json(body);
      })
      // The first by its name: a catch-all alone would not count among the methods of an address.
      .on("GET", ["/", "/*"], async (context, next) => {
        const { path } = context.req;
        const stray = isStrayVisit({ path, accept: context.req.header("accept") });
        if (!isPagePath(path) && !stray) return next();
        const known = await files();
        const found = known.get(path) ?? (screens.test(path) ? known.get("/index.html") : undefined);
        const file = found ?? (stray ? known.get("/index.html") : undefined);
        if (!file) return screens.test(path) ? missingPage() : next();
        const immutable = path.startsWith("/assets/");
        const form = await file.formFor(context.req.header("accept-encoding"));
        const headers = {
          ...form.headers,
          "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
          "content-security-policy": pagePolicy(config(targetHost(context.req.url)).evaluation),
        };
        if (!found) return context.body(form.body, 404, { ...headers, "cache-control": "no-store" });
        if (context.req.header("if-none-match") === form.headers["etag"]) return context.body(null, 304, headers);
        return context.body(form.body, 200, headers);
      })
  );
}

/**
 * The page's files are read once: there are few, and they never change while we run. A read that failed, or found no page
 * yet, is made again for the next visitor.
 */
function pageFilesOf(folder: string): () => Promise<ReadonlyMap<string, PageFile>> {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const forget = (): void => void (files = undefined);

  return () => {
    if (files) return files;
    const reading = readPageFiles(folder);
    files = reading;
    reading.then((known) => known.has("/index.html") || forget(), forget);
    return reading;
  };
}

/** The page makes no markup out of text, and starts scripts and workers by its one policy only: the browser holds it to that. */
const pagePolicy = (evaluation: string): string =>
  `${contentSecurityPolicy({ connect: [evaluation] })}; require-trusted-types-for 'script'; trusted-types default`;

function missingPage(): never {
  throw new ServiceError("not_found", "The page has not been built.", { hint: "Run `npm start`, which builds it." });
}
