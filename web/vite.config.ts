import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

/**
 * The package's browser build decodes entities by setting innerHTML. The content security policy forbids that, and the worker
 * that parses Markdown has no document.
 */
export const withoutDocument = {
  "decode-named-character-reference": fileURLToPath(
    new URL("../node_modules/decode-named-character-reference/index.js", import.meta.url),
  ),
};

/** Every build of the page also builds the template of `rehearsal runs export --html`. */
const reportTemplate: Plugin = {
  name: "rehearsal-report-template",
  apply: "build",
  async closeBundle() {
    await build({ configFile: `${import.meta.dirname}/report/vite.config.ts`, logLevel: "warn" });
  },
};

/**
 * Modules shared by several screens form one chunk: dozens of small ones weigh ten kilobytes more and double the requests.
 * Lists and plots of a run, transcripts and the scenario editor are left out: the first screen does not need them.
 */
const sharedParts = { name: "parts", test: /\/web\/(?!run\/|transcript\/|scenarios\/)|lucide/, minShareCount: 2 };

export default defineConfig({
  plugins: [react(), tailwindcss(), reportTemplate],
  resolve: { alias: withoutDocument },
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The content security policy forbids data: URLs for scripts, styles and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [sharedParts] } } },
  },
});
