import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import unpackable from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";

/** True where the browser from the npm package runs. */
export const bringsChromium = process.platform === "linux" && process.arch === "x64";

/** The browser at CHROMIUM_PATH, else the one from the npm package, else an installed Chrome. Throws when there is none. */
export async function launchChromium({ args = [] }: { args?: readonly string[] } = {}): Promise<Browser> {
  const options = { args: ["--no-sandbox", "--headless", ...args] };
  const path = process.env["CHROMIUM_PATH"] ?? (bringsChromium ? await unpack() : undefined);
  if (path !== undefined) return chromium.launch({ ...options, executablePath: path });
  return chromium.launch({ ...options, channel: "chrome" }).catch((cause: unknown) => {
    throw new Error("The tests of the page found no browser: set CHROMIUM_PATH to an installed Chromium.", { cause });
  });
}

/** The browser from the npm package. It is unpacked aside and moved into place whole, so a run cut short leaves no half of it. */
async function unpack(): Promise<string> {
  const folder = join(tmpdir(), "rehearsal-chromium-153");
  const executable = join(folder, "chromium");
  if (existsSync(executable)) return executable;

  const previous = process.env["TMPDIR"];
  const aside = mkdtempSync(join(tmpdir(), "rehearsal-chromium-"));
  process.env["TMPDIR"] = aside;
  try {
    await unpackable.executablePath();
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(executable)) throw error;
  } finally {
    if (previous === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = previous;
  }
  return executable;
}
