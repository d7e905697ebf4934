import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** The nearest package.json: the repository's, or the installed package's. */
const manifest = JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? "", "utf8")) as { version: string };

export const version: string = manifest.version;
