import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin } from "vite";
import { withoutDocument } from "./without-document.ts";

/** The template of `rehearsal report --html` belongs to every build of the page. */
const reportTemplate: Plugin = {
  name: "rehearsal-report-template",
  apply: "build",
  async closeBundle() {
    await build({ configFile: `${import.meta.dirname}/report/vite.config.ts`, logLevel: "warn" });
  },
};

/**
 * What several screens share is one file: as dozens of small ones it weighs ten kilobytes more and takes twice the requests. What is
 * there for showing runs brings lists and plots along, which the first screen does without.
 */
const sharedParts = { name: "parts", test: /\/web\/(?!run\/)|lucide/, minShareCount: 2 };

export default defineConfig({
  plugins: [react(), tailwindcss(), reportTemplate],
  resolve: { alias: withoutDocument },
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // The page's policy allows no data: scripts, styles or fonts; every asset stays a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [sharedParts] } } },
  },
});
