import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import unpackable from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";

/** The browser from the npm package. It is unpacked aside and moved into place whole, so a run cut short leaves no half of it. */
export async function launchChromium({ args = [] }: { args?: readonly string[] } = {}): Promise<Browser> {
  return chromium.launch({ executablePath: await unpack(), args: ["--no-sandbox", "--headless", ...args] });
}

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
