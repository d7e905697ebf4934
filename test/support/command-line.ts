import { resolve } from "node:path";
import { built } from "./build-once.ts";

/** The product as users start it. Started from its sources it takes three times as long, and tests start it hundreds of times. */
export const commandLine = resolve(import.meta.dirname, "../../dist/cli/main.js");

// Only test files that import this wait for the bundle.
await built("bundle");
