import { resolve } from "node:path";
import type { Plugin } from "vite";

/** What a file cannot do as the page does it, and what does it there. */
const replaced: readonly (readonly [string, string])[] = [
  ["wouter/use-browser-location", "hash-location.ts"],
  ["parts/current-address.ts", "current-address.ts"],
  ["./current-address.ts", "current-address.ts"],
  ["./diff-in-worker.ts", "diff-here.ts"],
  ["./start-parser.ts", "start-parser.ts"],
  ["run/use-run.ts", "embedded-run.ts"],
  ["./use-run.ts", "embedded-run.ts"],
  ["run/use-live-run.ts", "no-live-run.ts"],
  ["./use-live-run.ts", "no-live-run.ts"],
  ["parts/use-model-name.ts", "model-id.ts"],
  ["./results-file.tsx", "results-file.tsx"],
  ["./paged-grid.tsx", "no-pages.tsx"],
  ["./use-digest.ts", "no-digest.ts"],
  ["./run-actions.tsx", "no-run-actions.tsx"],
  ["./run-settings.tsx", "no-run-settings.tsx"],
  ["./run-shown-again.tsx", "no-run-shown-again.tsx"],
  ["./edit-scenario-link.tsx", "no-edit-scenario-link.tsx"],
];

/** Puts the report's own parts in the place of those that need a server, other files or the browser's address. */
export function standIns(): Plugin {
  return {
    name: "rehearsal-report-stand-ins",
    enforce: "pre",
    resolveId(source) {
      const found = replaced.find(
        ([name]) => source === name || (!name.startsWith(".") && source.endsWith(`/${name}`)),
      );
      return found ? resolve(import.meta.dirname, found[1]) : null;
    },
  };
}
