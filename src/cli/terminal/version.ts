import { createRequire } from "node:module";

/** The nearest package.json: the repository's, or the installed package's. */
const manifest = createRequire(import.meta.url)("rehearsal-eval/package.json") as { version: string };

export const version: string = manifest.version;

/** The commit that the bundle was made from. */
declare const BUILT_COMMIT: string | undefined;

/** The version with its commit, between releases: `0.3.0-dev+1a2b3c4d`. A program run from its sources knows none. */
export const versionAndCommit: string =
  version.includes("-dev") && typeof BUILT_COMMIT === "string" ? `${version}+${BUILT_COMMIT}` : version;
