import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import { startFakeServices } from "../support/fake-services.ts";
import { openTab } from "../support/open-tab.ts";
import { pageFolder } from "../support/serve-page.ts";
import { nightly } from "../support/sample-runs.ts";

/** The compressed size of a file. */
const gzipped = (path: string): number => gzipSync(readFileSync(join(pageFolder, path))).length;

export function weightSuite(browser: () => Browser): void {
  test("the first view moves at most 200 KB", async () => {
    await using services = await startFakeServices({ runs: [nightly] });
    await using tab = await openTab({ browser: browser(), services });
    const moved = new Set<string>(["/index.html"]);
    tab.page.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === services.origin && extname(pathname) !== "") moved.add(pathname);
    });
    await tab.open("/runs");
    await tab.page.getByText("nightly support").waitFor();
    const bytes = [...moved].reduce((sum, path) => sum + gzipped(path), 0);
    expect(moved.size).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(200_000);
  });

  test("all code of the page weighs at most 460 KB", () => {
    const assets = readdirSync(join(pageFolder, "assets")).map((name) => join("assets", name));
    const bytes = ["index.html", ...assets].reduce((sum, path) => sum + gzipped(path), 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(460_000);
  });
}
