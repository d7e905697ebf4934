import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** Types that get smaller by packing; pictures and fonts are packed already. */
const packable = /^text\/|[/+](?:json|xml)\b/;

/** One form of a file: its bytes and the headers that belong to them. */
interface SentForm {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageFile {
  /** The form for a browser that sent this Accept-Encoding. A file is packed when it is first asked for, and only once. */
  formFor(acceptEncoding: string | undefined): Promise<SentForm>;
}

/** Everything the built page consists of, by path; nothing while there is no such folder. */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return [];
    },
  );
  const files = names.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
  return new Map(
    await Promise.all(
      files.map(async (entry): Promise<[string, PageFile]> => {
        const path = join(entry.parentPath, entry.name);
        const type = mediaTypes[extname(entry.name)] ?? "application/octet-stream";
        const file = pageFile(new Uint8Array(await readFile(path)), type);
        return [path.slice(folder.length).split(sep).join("/").replace(/^\/?/, "/"), file];
      }),
    ),
  );
}

function pageFile(body: Uint8Array<ArrayBuffer>, type: string): PageFile {
  if (!packable.test(type)) {
    const plain = toForm(body, { "content-type": type });
    return { formFor: () => Promise.resolve(plain) };
  }
  const headers = { "content-type": type, vary: "Accept-Encoding" };
  const plain = toForm(body, headers);
  let packed: Promise<SentForm> | undefined;
  return {
    formFor: async (acceptEncoding = "") => {
      if (!takesGzip.test(acceptEncoding)) return plain;
      packed ??= promisify(gzip)(body, { level: 9 }).then((bytes) =>
        toForm(new Uint8Array(bytes), { ...headers, "content-encoding": "gzip" }),
      );
      return packed;
    },
  };
}

/** gzip among what is accepted, and not with the weight zero, which refuses it. */
const takesGzip = /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?:1|0?\.0*[1-9]))/i;

function toForm(body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): SentForm {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, headers: { ...headers, etag } };
}
