import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { withoutDocument } from "../without-document.ts";
import { oneFile } from "./one-file.ts";
import { standIns } from "./stand-ins.ts";

/**
 * Builds web/dist/report.html: the run and transcript screens in one file. Whoever writes a report puts its data in place of
 * the placeholder, as JSON in which every `<` is `\u003c`, so that no text of a model can end the script element:
 *
 *     template.replace("__REHEARSAL_REPORT_DATA__", () => JSON.stringify({ run, results }).replaceAll("<", "\\u003c"))
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  resolve: { alias: withoutDocument },
  plugins: [standIns(), react(), tailwindcss(), oneFile()],
  build: {
    outDir: "../dist",
    emptyOutDir: false,
    target: "es2023",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { input: `${import.meta.dirname}/report.html`, output: { codeSplitting: false } },
  },
});
