// Joins the code with the packages it uses into a few files that start fast: `dist/` of the published package, and of a clone for
// `npm start`. Seventeen hundred modules become a dozen; PostgreSQL, MCP, PDF and the language model stay files of their own.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { thirdPartyNotices } from "./third-party-notices.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Three folders below the package, as deep as the sources that look for its files: `../../../web/dist` means the same in both.
 * Threads are started from a file beside the one that starts them, so theirs lie there too.
 */
const parts = "bundle/parts";
const libraries = ["index", "client", "scorers", "statistics", "vitest", "jest"];

/** Files that are started as threads or processes: every source that calls `threadFile(` names one beside it. */
function threads() {
  const starters = globSync("src/**/*.ts", { cwd: root })
    // Not by a pattern of `exclude`: those take the brackets in the clone's own path for a pattern too.
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
    .filter(({ text }) => text.includes('threadFile("'));
  return starters.map(({ file, text }) => {
    const name = /threadFile\("([\w-]+)"/.exec(text)?.[1];
    const thread = join(dirname(file), `${name}.ts`);
    if (name === undefined || !existsSync(join(root, thread))) throw new Error(`${file}: which file is its thread?`);
    return [`${parts}/${name}`, thread];
  });
}

const entries = () => ({
  "cli/main": "src/cli/main.ts",
  ...Object.fromEntries(libraries.map((name) => [name, `src/${name}.ts`])),
  ...Object.fromEntries(threads()),
  ...Object.fromEntries(Object.keys(late).map((id) => [`${parts}/${lateFile(id)}`, `late:${id}`])),
});

/** Packages a user adds, and native ones that are never there: looked for when they are needed. */
const outside = [/^node:/, /^vitest$/, /^@lat\.md\//, /^pg-native$/, /^@napi-rs\/canvas$/, /^swagger-ui-dist/];

/**
 * A module of Node that is imported is asked for everything it exports, rare things too: `node:http` loads a second HTTP client for
 * its `WebSocket`. Taken from `getBuiltinModule` it is asked for what we use.
 */
const leanModules = {
  name: "lean-modules",
  renderChunk: (code) =>
    code.replace(/^import (.+?) from "(node:[\w/]+)";$/gm, (_, names, id) => takeModule(names, id)),
};

function takeModule(names, id) {
  const whole = /^(?:\* as )?([\w$]+)/.exec(names)?.[1];
  const parts = /\{.*\}/.exec(names)?.[0].replaceAll(" as ", ": ");
  return [whole, parts]
    .filter((name) => name !== undefined)
    .map((name) => `const ${name} = globalThis.process.getBuiltinModule("${id}");`)
    .join(" ");
}

/**
 * V8 keeps the text of a file in twice the memory as soon as one letter of it is not in Latin-1. In strings, templates, expressions
 * and names an escape means the same letter. In `String.raw` it is the same only to `new RegExp`, which is all we use that for.
 */
const plainLetters = {
  name: "plain-letters",
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) if (file.type === "chunk") file.code = withoutLetters(file.code);
  },
};

function withoutLetters(code) {
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, slashes, letter) => {
    const before = slashes.length % 2 === 0 ? slashes : slashes.slice(1);
    return `${before}\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/**
 * The bundler orders the files that a file imports as it likes. The check of Node's version comes before all else, and the classes of
 * fetch before what names them.
 */
const inOrder = {
  name: "in-order",
  renderChunk(code) {
    const lines = ["required-node", "web-classes"].flatMap(
      (name) => new RegExp(`^import "[^"]*${name}-[^"]*";\n`, "m").exec(code)?.[0] ?? [],
    );
    const rest = lines.reduce((text, line) => text.replace(line, ""), code);
    const [shebang = ""] = /^#!.*\n/.exec(rest) ?? [];
    return lines.length === 0 ? null : shebang + lines.join("") + rest.slice(shebang.length);
  },
};

/** The parts of undici in use. Its index would load WebSockets, caches, mocks and more at the start. */
const undiciParts = `
  export { default as Agent } from "undici/lib/dispatcher/agent.js";
  export { default as Pool } from "undici/lib/dispatcher/pool.js";
  export { default as buildConnector } from "undici/lib/core/connect.js";
`;

/** The classes of fetch, for those who speak HTTP to others. In the order of that index: `Request` takes up what `Response` has laid down. */
const undiciClasses = `
  export { Headers } from "undici/lib/web/fetch/headers.js";
  export { Response } from "undici/lib/web/fetch/response.js";
  export { Request } from "undici/lib/web/fetch/request.js";
  export { FormData } from "undici/lib/web/fetch/formdata.js";
  export { CloseEvent } from "undici/lib/web/websocket/events.js";
`;

/** WebSockets, for the targets that speak them. */
const undiciSocket = 'export { WebSocket } from "undici/lib/web/websocket/websocket.js";';

/** HTTP/2 is not spoken here, and what is bundled gets along without it: undici does the same where Node was built so. */
const noHttp2 = "export const constants = {}; export class Http2ServerRequest {}";

/** Commander can start a program for a command. None of ours is one, so what starts programs is not loaded with every command. */
const noPrograms = "export default {};";

const replaced = {
  undici: undiciParts,
  "web-classes undici": undiciClasses,
  "socket undici": undiciSocket,
  "node:http2": noHttp2,
  "commander node:child_process": noPrograms,
};

/** The name under which an import is replaced: for one package or file that imports it, or for all. */
function replacedAs(id, importer = "") {
  const [, importing] = /.*node_modules[\\/]([\w-]+)/.exec(importer) ?? /([\w-]+)\.ts$/.exec(importer) ?? [];
  return [`${importing} ${id}`, id].find((name) => name in replaced);
}

const leanPackages = {
  name: "lean-packages",
  resolveId(id, importer) {
    const name = replacedAs(id, importer);
    return name === undefined ? null : `\0lean:${name}`;
  },
  load: (id) => replaced[id.replace("\0lean:", "")] ?? null,
};

/** Packages that few need and that take megabytes: loaded when something of them is first used. */
const late = {
  "@huggingface/jinja": ["Environment", "Interpreter", "parse", "tokenize"],
  re2js: ["RE2JS"],
  ajv: ["Ajv"],
  "ajv/dist/2019.js": ["Ajv2019"],
  "ajv/dist/2020.js": ["Ajv2020"],
  "csv-parse/browser/esm/sync": ["parse"],
  "csv-stringify/browser/esm/sync": ["stringify"],
  htmlparser2: ["Parser"],
  yaml: "isMap isNode isScalar isSeq LineCounter parse parseAllDocuments parseDocument Scalar stringify visit".split(
    " ",
  ),
};
const lateFile = (id) => `late-${id.replaceAll(/\W/g, "-")}`;

/** Replaces the functions and classes of a package: the first use loads the package from a file beside this one. */
const standIn = (id) => `
  const { createRequire } = globalThis.process.getBuiltinModule("node:module");
  let loaded;
  const load = () => (loaded ??= createRequire(import.meta.url)("./${lateFile(id)}.js"));
  const later = (name) => new Proxy(function () {}, {
    get: (_, key) => load()[name][key],
    apply: (_, self, values) => Reflect.apply(load()[name], self, values),
    construct: (_, values) => Reflect.construct(load()[name], values),
  });
  ${late[id].map((name) => (name === "default" ? `export default later("default");` : `export const ${name} = later("${name}");`)).join("\n")}
`;

const latePackages = {
  name: "late-packages",
  resolveId(id, importer = "") {
    if (id.startsWith("late:")) return `\0${id}`;
    return id in late && /[\\/]src[\\/]/.test(importer) && !importer.includes("node_modules")
      ? `\0stand-in:${id}`
      : null;
  },
  load(id) {
    const [kind, name] = id.split(/:(.*)/s);
    if (kind === "\0late") return `export { ${late[name].join(", ")} } from "${name}";`;
    return kind === "\0stand-in" ? standIn(name) : null;
  },
};

const isOutside = (id, importer) =>
  replacedAs(id, importer) === undefined && outside.some((pattern) => pattern.test(id));

/** The commit of the sources. Where they are no repository, as in a container, the variable names it. */
function commit() {
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  const asked = spawnSync("git", ["rev-parse", "--short=8", "HEAD"], options);
  return process.env.REHEARSAL_COMMIT || (asked.status === 0 ? asked.stdout.trim() : undefined);
}

/** Bundles into `folder`, with the licences of the packages that went into it. */
async function bundle(folder) {
  rmSync(folder, { recursive: true, force: true });
  await using build = await rolldown({
    cwd: root,
    input: entries(),
    platform: "node",
    external: isOutside,
    plugins: [leanModules, leanPackages, latePackages, plainLetters, inOrder],
    // The oldest Node that `engines` allows.
    transform: { target: "node22.13", define: { BUILT_COMMIT: JSON.stringify(commit()) ?? "undefined" } },
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    comments: false,
    entryFileNames: "[name].js",
    chunkFileNames: `${parts}/[name]-[hash].mjs`,
    // The classes in a file of their own, so that they are there before whoever names them, and only where somebody does. A group takes
    // what its files import along: undici comes first, or the classes would take it.
    codeSplitting: {
      groups: [
        { name: "undici", test: /node_modules[\\/]undici/, priority: 1 },
        { name: "web-classes", test: /web-classes/ },
        { name: "required-node", test: /src[\\/]required-node/ },
        { name: "stand-ins", test: /stand-in:/ },
      ],
    },
  });
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), thirdPartyNotices(modules, ["swagger-ui-dist"]));
}

await bundle(join(root, "dist"));
