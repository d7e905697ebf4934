import { createRequire } from "node:module";

/** The nearest package.json: the repository's, or the installed package's. */
const manifest = createRequire(import.meta.url)("rehearsal-eval/package.json") as { version: string };

export const version: string = manifest.version;
