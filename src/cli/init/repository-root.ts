import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The repository a folder is in: where GitHub looks for workflows. The folder itself where there is none. */
export function repositoryRoot(folder: string): string {
  const start = resolve(folder);
  for (let place = start; ; place = dirname(place)) {
    if (existsSync(join(place, ".git"))) return place;
    if (place === dirname(place)) return start;
  }
}
