import { fileURLToPath, pathToFileURL } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin, type Rolldown } from "vite";
import { thirdPartyNotices } from "../scripts/third-party-notices.ts";

/**
 * The package's browser build decodes entities by setting innerHTML. The content security policy forbids that, and the worker
 * that parses Markdown has no document.
 */
export const withoutDocument = {
  "decode-named-character-reference": fileURLToPath(
    new URL("../node_modules/decode-named-character-reference/index.js", import.meta.url),
  ),
};

/**
 * Modules named `*.data.ts` export plain data that is made from code the page does not need, such as the schemas and behaviours of
 * checks. The build runs them and bundles the data. Without Vite, as in tests, they are ordinary modules.
 */
export const buildTimeData: Plugin = {
  name: "rehearsal-build-time-data",
  enforce: "pre",
  async load(id) {
    if (!id.endsWith(".data.ts")) return null;
    const data: Record<string, unknown> = await import(pathToFileURL(id).href);
    const lines = Object.entries(data).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
    return { code: lines.join("\n"), moduleSideEffects: false };
  },
};

/** Every build of the page also builds the template of `rehearsal runs export --html`. */
const reportTemplate: Plugin = {
  name: "rehearsal-report-template",
  apply: "build",
  async closeBundle() {
    await build({ configFile: `${import.meta.dirname}/report/vite.config.ts`, logLevel: "warn" });
  },
};

/** The files that went into the page and its workers. Vite builds the workers while it reads the page. */
const modules = new Set<string>();

function addModules(bundle: Rolldown.OutputBundle): void {
  for (const file of Object.values(bundle)) {
    if (file.type === "chunk") for (const id of file.moduleIds) modules.add(id);
  }
}

/** Vite's own list of licences (`build.license`) leaves out the workers, and with them all that parses Markdown. */
const noticesOfWorkers: Plugin = {
  name: "rehearsal-notices-of-workers",
  generateBundle: (_options, bundle) => addModules(bundle),
};
const notices: Plugin = {
  name: "rehearsal-notices",
  generateBundle(_options, bundle) {
    addModules(bundle);
    // Tailwind's base styles are in the page's, without a module.
    const source = thirdPartyNotices(modules, ["tailwindcss"]);
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY-NOTICES.md", source });
  },
};

/**
 * Modules shared by several screens form one chunk: dozens of small ones weigh ten kilobytes more and double the requests.
 * Lists and plots of a run, transcripts and the scenario editor are left out: the first screen does not need them.
 */
const sharedParts = { name: "parts", test: /\/web\/(?!run\/|transcript\/|scenarios\/)|lucide/, minShareCount: 2 };

export default defineConfig({
  plugins: [buildTimeData, react(), tailwindcss(), reportTemplate, notices],
  resolve: { alias: withoutDocument },
  worker: { format: "es", plugins: () => [buildTimeData, noticesOfWorkers] },
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
