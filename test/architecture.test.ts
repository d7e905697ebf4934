import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";

/** Which layers each layer may import, besides itself and `base`. What is not named here is a mistake. */
const mayImport: Record<string, readonly string[]> = {
  base: [],
  scoring: [],
  contract: ["scoring"],
  evaluation: ["scoring", "contract"],
  formats: ["scoring", "contract"],
  agent: ["contract"],
  models: ["contract"],
  storage: ["contract"],
  settings: ["contract"],
  runs: ["scoring", "contract", "evaluation", "models", "storage", "formats"],
  services: ["scoring", "contract", "evaluation", "agent", "models", "storage", "runs", "settings", "formats"],
  cli: [
    "scoring",
    "contract",
    "evaluation",
    "agent",
    "models",
    "storage",
    "runs",
    "services",
    "settings",
    "formats",
    "client",
    "required-node",
  ],
  "required-node": [],
  client: ["contract", "required-node"],
  scorers: ["scoring", "contract", "evaluation", "required-node"],
  statistics: ["contract", "evaluation", "required-node"],
  evaluate: ["contract", "evaluation"],
  vitest: ["contract", "evaluation", "client", "evaluate", "required-node"],
  jest: ["contract", "evaluation", "client", "evaluate", "required-node"],
  index: [
    "contract",
    "evaluation",
    "agent",
    "models",
    "storage",
    "runs",
    "services",
    "settings",
    "formats",
    "client",
    "evaluate",
    "cli",
    "required-node",
  ],
};

/**
 * The folders of each layer, lowest first: a folder imports only itself and folders before it. Imports of types do not
 * count, `import()` does. The files directly in a layer's folder are its face: they come last, so no folder imports them.
 */
const folderOrder: Record<string, readonly string[]> = {
  agent: ["text", "messages", "tools", "http-tools", "knowledge", "mcp", "loop", "prompted", "testing"],
  evaluation: [
    "statistics",
    "conversation",
    "helpers",
    "judges",
    "labels",
    "conflicts",
    "scorers",
    "checks",
    "tools",
    "world",
    "outcomes",
    "attempts",
    "simulation",
    "budget",
    "summary",
    "summary/testing",
    "comparison",
  ],
  base: [],
  cli: [
    "terminal",
    "options",
    "gates",
    "config",
    "process",
    "telemetry",
    "composition",
    "scenarios",
    "sources",
    "reporters",
    "eval",
    "commands/files",
    "commands/results",
    "commands/evaluate",
    "commands/agent",
    "commands/operate",
  ],
  client: [],
  evaluate: [],
  contract: [
    "errors",
    "ports",
    "protocols",
    "schemas/shared",
    "schemas/scores",
    "schemas/acting",
    "schemas/judging",
    "schemas",
    "schemas/agent",
    "schemas/wires",
    "operations",
    "testing",
  ],
  formats: [
    "documents",
    "shared",
    "tables",
    "spans",
    "export/scenarios",
    "export/results",
    "import/traces",
    "import/promptfoo",
    "import/openai-evals",
    "import",
    "testing",
  ],
  models: [
    "outbound",
    "adapters/reply",
    "adapters",
    "adapters/openai-chat",
    "adapters/openai-responses",
    "adapters/anthropic",
    "targets",
    "protocols",
    "embeddings",
    "local-servers",
    "prices",
    "routing",
    "studio",
    "demo",
  ],
  settings: [],
  scoring: ["text", "grounding", "scorers", "checks", "judges"],
  runs: [
    "user-code",
    "threads",
    "plan",
    "stored",
    "results",
    "review",
    "compare",
    "experiments",
    "sequence",
    "execute",
    "rescore",
  ],
  storage: [
    "tables",
    "leases",
    "migrations",
    "queues",
    "limits",
    "queries",
    "agent",
    "queues/leases",
    "queues/boss",
    "drivers",
  ],
  services: [
    "http/environment",
    "http/checks",
    "http/limits",
    "http/auth",
    "http/responses",
    "http/body",
    "http",
    "agent/turns",
    "agent/runs",
    "agent/observers",
    "agent/wires",
    "agent/routes",
    "agent",
    "evaluation/files",
    "evaluation/otel",
    "evaluation/routes",
    "evaluation",
  ],
};

const root = resolve(import.meta.dirname, "..");
const posix = (path: string): string => path.split(sep).join("/");

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.includes("node_modules"))
    .map((file) => `${folder}/${posix(file)}`);
}

/** Every module a file names: static, dynamic and re-exporting imports, either kind of quote. */
function specifiers(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g)].map((match) => match[1] ?? "");
}

const localImports = (file: string): string[] =>
  specifiers(file)
    .filter((name) => name.startsWith("."))
    .map((name) => posix(relative(root, resolve(root, dirname(file), name))));

/** `src/runs/execute/worker.ts` → `runs`; `src/settings.ts` → `settings`. */
const layerOf = (file: string): string => (file.split("/")[1] ?? "").replace(/\.ts$/, "");

const files = sourceFiles("src");

test("every layer imports only the layers below it", () => {
  const wrong = files.flatMap((file) => {
    const layer = layerOf(file);
    const allowed = [layer, "base", ...(mayImport[layer] ?? [])];
    return localImports(file)
      .filter((target) => target !== "package.json")
      .filter((target) => !target.startsWith("src/") || !allowed.includes(layerOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("every folder below src is a known layer", () => {
  expect([...new Set(files.map(layerOf))].filter((layer) => !(layer in mayImport))).toEqual([]);
});

/** The files that `file` loads: imports of values, re-exports and `import()`. */
function valueImports(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const loads =
    /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^;]*?from\s*["'](\.[^"']+)["']|import\(\s*["'](\.[^"']+)["']/g;
  return [...text.matchAll(loads)].map((match) =>
    posix(relative(root, resolve(root, dirname(file), match[1] ?? match[2] ?? ""))),
  );
}

test("a folder imports only folders of its layer that come before it", () => {
  const layers = [...new Set(files.filter((file) => file.split("/").length > 2).map(layerOf))];
  expect(Object.keys(folderOrder).toSorted()).toEqual(layers.toSorted());

  /** `src/runs/execute/worker.ts` → `execute`; the face of the layer has the empty name. */
  const folderOf = (file: string): string => dirname(file).split("/").slice(2).join("/");
  const wrong = Object.entries(folderOrder).flatMap(([layer, order]) => {
    const place = (file: string): number => (folderOf(file) === "" ? order.length : order.indexOf(folderOf(file)));
    const inside = files.filter((file) => file.startsWith(`src/${layer}/`));
    const unlisted = inside.filter((file) => place(file) < 0).map((file) => `${file}: its folder is not listed`);
    const upward = inside.flatMap((file) =>
      valueImports(file)
        .filter((target) => layerOf(target) === layer && target.startsWith("src/") && place(target) > place(file))
        .map((target) => `${file} imports ${target}`),
    );
    return [...unlisted, ...upward];
  });
  expect(wrong).toEqual([]);
});

test("base, scoring, contract, evaluation and formats use no Node module", () => {
  const wrong = files
    .filter((file) => ["base", "scoring", "contract", "evaluation", "formats"].includes(layerOf(file)))
    .filter((file) => specifiers(file).some((name) => name.startsWith("node:")));
  expect(wrong).toEqual([]);
});

test("only the outbound client imports an HTTP client", () => {
  const clients = new Set(["undici", "node:http2", "node:https", "node:tls"]);
  const wrong = files
    .filter((file) => !file.startsWith("src/models/outbound/"))
    .filter((file) => specifiers(file).some((name) => clients.has(name)));
  expect(wrong).toEqual([]);
});

test("only the published client reaches for the global fetch, which the lint rule cannot see there", () => {
  const wrong = files
    .filter((file) => !file.startsWith("src/client/"))
    .filter((file) => /globalThis\.(?:fetch|WebSocket|EventSource)/.test(readFileSync(join(root, file), "utf8")));
  expect(wrong).toEqual([]);
});

/** Our modules that the page runs: none of them imports the schemas of the contract. Of `*.data.ts` it has only the data. */
const pageCode = [
  "src/base/compact.ts",
  "src/base/file-name.ts",
  "src/base/hash.ts",
  "src/base/json.ts",
  "src/base/numbers.ts",
  "src/contract/errors/errors.ts",
  "src/contract/operations/addresses.ts",
  "src/contract/protocols/protocols.ts",
  "src/contract/schemas/outcome.ts",
  "src/contract/schemas/scores/score-names.ts",
  "src/evaluation/judges/judge-question.ts",
  "src/evaluation/statistics/",
];

test("the page takes types from the contract and code only from files without schemas", () => {
  const wrong = sourceFiles("web").flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/import\s+(type\s+)?[^;]*?from\s+["'](\.[^"']+)["']/g)]
      .map((match) => ({
        types: Boolean(match[1]),
        target: posix(relative(root, resolve(root, dirname(file), match[2] ?? ""))),
      }))
      .filter(({ target }) => target.startsWith("src/"))
      .filter(
        ({ types, target }) =>
          !(types && target.startsWith("src/contract/")) &&
          !target.endsWith(".data.ts") &&
          !pageCode.some((path) => target.startsWith(path)),
      )
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no import cycle", () => {
  // Modules loaded later, on demand, cannot form a cycle while modules start.
  const startImports = (file: string): string[] => {
    const later = [...readFileSync(join(root, file), "utf8").matchAll(/\bimport\s*\(\s*["'](\.[^"']+)["']/g)];
    const lazy = new Set(later.map((match) => posix(relative(root, resolve(root, dirname(file), match[1] ?? "")))));
    return localImports(file).filter((target) => files.includes(target) && !lazy.has(target));
  };
  const done = new Set<string>();
  /** The cycle below `file`, if there is one. */
  const cycleFrom = (file: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(file)) return [...trail, file];
    if (done.has(file)) return [];
    for (const target of startImports(file)) {
      const cycle = cycleFrom(target, [...trail, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  expect(files.map((file) => cycleFrom(file, [])).find((cycle) => cycle.length > 0)).toBeUndefined();
});
