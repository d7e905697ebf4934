import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { buildTimeData, withoutDocument } from "../vite.config.ts";

/** Modules of the page that a report cannot use, by file name. */
const replacedModules = [
  "across-runs.tsx",
  "corrected-means.tsx",
  "current-address.ts",
  "diff-in-worker.ts",
  "edit-scenario-link.tsx",
  "judge-reply.tsx",
  "model-names.ts",
  "paged-grid.tsx",
  "people-agreement.tsx",
  "results-file.tsx",
  "run-actions.tsx",
  "run-settings.tsx",
  "run-shown-again.tsx",
  "sequence-panel.tsx",
  "start-worker.ts",
  "use-digest.ts",
  "use-live-run.ts",
  "use-run.ts",
];

/**
 * Builds web/dist/report.html: the run and transcript screens in one file. A report is that file with its data in place of the
 * placeholder: gzipped JSON as base64, or JSON in which every `<` is `\u003c`, so that no text of a model can end the script
 * element:
 *
 *     template.replace("__REHEARSAL_REPORT_DATA__", () => gzipSync(JSON.stringify({ run, results })).toString("base64"))
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  resolve: { alias: withoutDocument },
  plugins: [buildTimeData, standIns(), react(), tailwindcss(), oneFile()],
  build: {
    outDir: "../dist",
    emptyOutDir: false,
    target: "es2023",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: { input: `${import.meta.dirname}/report.html`, output: { codeSplitting: false } },
  },
});

/** Replaces modules that need a service, other files or the browser's address. */
function standIns(): Plugin {
  const unused = new Set(replacedModules);
  return {
    name: "rehearsal-report-stand-ins",
    enforce: "pre",
    resolveId(source) {
      if (source === "wouter/use-browser-location") return join(import.meta.dirname, "hash-location.ts");
      const name = basename(source);
      if (!source.startsWith(".") || !replacedModules.includes(name)) return null;
      unused.delete(name);
      return join(import.meta.dirname, name === "current-address.ts" ? "hash-location.ts" : "stand-ins.tsx");
    },
    buildEnd(error) {
      if (!error && unused.size > 0) throw new Error(`No module was replaced for ${[...unused].join(", ")}.`);
    },
  };
}

/** Inlines the script and the style into the document, under a policy that allows nothing else to run or load. */
function oneFile(): Plugin {
  return {
    name: "rehearsal-report-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === "chunk") script += output.code;
        else if (name.endsWith(".css")) style += String(output.source);
        if (!name.endsWith(".html")) delete bundle[name];
      }
      const html = bundle["report.html"];
      if (html?.type !== "asset") throw new Error("The report's document was not built.");
      html.source = inline(String(html.source), { script: escapeScript(script), style });
    },
  };
}

function inline(html: string, { script, style }: { script: string; style: string }): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
  return html
    .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
    .replace(/\s*<script type="module"[^>]*><\/script>/, "")
    .replace("<title>", () => `${meta}\n    <title>`)
    .replace("</head>", () => `  <style>${style}</style>\n    <script type="module">${script}</script>\n  </head>`)
    .replace(/\s*__REHEARSAL_REPORT_DATA__\s*/, "__REHEARSAL_REPORT_DATA__");
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** Keeps strings from ending the script element or opening a comment. Vite leaves the marker in place of inlined imports. */
const escapeScript = (code: string): string =>
  code.replaceAll("__VITE_PRELOAD__", "void 0").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
