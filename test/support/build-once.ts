import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers when the page (`/page`) or the page and the bundle (`/bundle`) are built from the current sources. */
    builder: string;
  }
}

const root = resolve(import.meta.dirname, "../..");

/** Global set-up: builds the page and the bundle for the first test file that asks, and not where none does. */
export default async function provideBuilder(project: TestProject): Promise<() => void> {
  // Services also serve a page that is out of date, but some tests need one.
  if (!existsSync(resolve(root, "web/dist/report.html"))) await setUp("/page");
  const builds = new Map<string, Promise<unknown>>();
  // One after the other: the bundle includes the page.
  let last: Promise<unknown> = Promise.resolve();
  const builder = createServer(({ url = "" }, response) => {
    const build = builds.get(url) ?? last.then(() => setUp(url));
    builds.set(url, build);
    last = build.catch(() => {});
    build.then(
      () => response.end(),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, "127.0.0.1");
  await once(builder, "listening");
  project.provide("builder", `http://127.0.0.1:${(builder.address() as AddressInfo).port}`);
  return () => void builder.close();
}

const setUp = (url: string): Promise<unknown> =>
  promisify(execFile)(process.execPath, [
    resolve(root, "scripts/setup.mjs"),
    ...(url === "/bundle" ? ["--bundle"] : []),
  ]);

/** Builds it unless that was done since its sources last changed. For tests of what users start or see. */
export async function built(part: "page" | "bundle"): Promise<void> {
  const response = await fetch(`${inject("builder")}/${part}`);
  if (!response.ok) throw new Error(await response.text());
}
