import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** Read from the package this file belongs to, in the repository and in `node_modules` alike. */
const manifest = JSON.parse(readFileSync(findPackageJSON(import.meta.url) ?? "", "utf8")) as { version: string };

export const version: string = manifest.version;
