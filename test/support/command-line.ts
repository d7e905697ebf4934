import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** The product as users start it. Started from its sources it takes three times as long, and tests start it hundreds of times. */
export const commandLine = resolve(root, "dist/cli/main.js");

/** Before the first test: bundles the sources, unless that was done since they last changed. */
export default function bundle(): void {
  execFileSync(process.execPath, [resolve(root, "scripts/setup.mjs"), "--bundle"], { stdio: "inherit" });
}
