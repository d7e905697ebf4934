import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";

/** The template of `rehearsal report --html` belongs to every build of the page. */
const reportTemplate: Plugin = {
  name: "rehearsal-report-template",
  apply: "build",
  async closeBundle() {
    await build({ configFile: `${import.meta.dirname}/report/vite.config.ts`, logLevel: "warn" });
  },
};

export default defineConfig({
  plugins: [react(), tailwindcss(), reportTemplate],
  // The browser's form of this package sets innerHTML, which a strict policy refuses: a named entity in a reply would break the page.
  resolve: {
    alias: {
      "decode-named-character-reference": fileURLToPath(
        new URL("../node_modules/decode-named-character-reference/index.js", import.meta.url),
      ),
    },
  },
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The page's policy allows no data: scripts, styles or fonts; every asset stays a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
