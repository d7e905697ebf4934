import { readFileSync } from "node:fs";

/** Read where the package is, in the repository and in `node_modules` alike. */
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const version: string = manifest.version;
