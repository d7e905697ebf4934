import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, copyFile, cp, glob, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { deepTest } from "../support/deep-test.ts";
import { send } from "../support/http.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { serviceEnvironment } from "../support/service-environment.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
/** Installing is the one thing that may need the package registry; what is cached is not asked for again. */
const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
const minutes = 60_000;

let folder: TemporaryFolder;
const clone = () => folder.file("clone");
const leftOut = new Set([".git", ".rehearsal", "dist", "node_modules"]);
const rehearsal = () => join(folder.path, "node_modules/rehearsal-eval");
const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" });

const cli = (...parameters: string[]) => cliWith({}, ...parameters);

async function cliWith(env: Readonly<Record<string, string>>, ...parameters: string[]) {
  return run(process.execPath, [join(rehearsal(), "dist/cli/main.js"), ...parameters], {
    cwd: folder.path,
    env: { ...environment(), ...env },
  });
}

beforeAll(async () => {
  folder = await temporaryFolder();
  // A copy is packed: other tests read package.json, which is another while npm packs.
  await cp(root, clone(), { recursive: true, filter: (path) => !leftOut.has(basename(path)) });
  await symlink(join(root, "node_modules"), join(clone(), "node_modules"));
  await run("npm", ["pack", "--pack-destination", folder.path], { cwd: clone() });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  await writeFile(folder.file("package.json"), JSON.stringify({ private: true, type: "module" }));
  await run("npm", ["install", `./rehearsal-eval-${version}.tgz`, ...quiet], { cwd: folder.path });
}, 20 * minutes);
afterAll(() => folder[Symbol.asyncDispose]());

deepTest("holds bundled code, the page, the examples and every licence, and no sources or tests", async () => {
  const manifest = JSON.parse(await readFile(join(rehearsal(), "package.json"), "utf8"));
  expect(manifest).not.toHaveProperty("devDependencies");
  expect(manifest).not.toHaveProperty("scripts");
  expect(manifest).not.toHaveProperty("dependencies");
  for (const file of [
    "dist/cli/main.js",
    "web/dist/index.html",
    "web/dist/docs/swagger-ui.css",
    "web/dist/THIRD-PARTY-NOTICES.md",
  ]) {
    await access(join(rehearsal(), file));
  }
  const notices = await readFile(join(rehearsal(), "dist/THIRD-PARTY-NOTICES.md"), "utf8");
  const sbom = JSON.parse(await readFile(join(rehearsal(), "dist/sbom.json"), "utf8")) as {
    components: { name: string; licenses: unknown[] }[];
  };
  const listed = sbom.components.map(({ name }) => name);
  // pdf.js is inside unpdf, React inside the page.
  for (const name of [
    "zod",
    "undici",
    "pg",
    "pg-boss",
    "kysely",
    "hono",
    "wink-nlp",
    "swagger-ui-dist",
    "pdfjs-dist",
  ]) {
    expect(notices).toMatch(new RegExp(`^## ${name} \\d+\\.`, "m"));
    expect(listed).toContain(name);
  }
  expect(listed).toContain("react");
  expect(sbom.components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
  for (const thread of [
    "scoring-thread",
    "check-thread",
    "sqlite-reader-thread",
    "scenario-file-thread",
    "library-file-thread",
    "embedding-thread",
  ]) {
    await access(join(rehearsal(), `dist/bundle/parts/${thread}.js`));
  }
  const files = await Array.fromAsync(glob("**/*.ts", { cwd: rehearsal() }));
  expect(files.filter((file) => !file.endsWith(".d.ts"))).toEqual([]);
});

deepTest("npm pack leaves package.json as it was, also when it fails", async () => {
  const manifest = await readFile(join(root, "package.json"), "utf8");
  expect(await readFile(join(clone(), "package.json"), "utf8")).toBe(manifest);
  const packing = run("npm", ["pack", "--pack-destination", folder.file("missing/folder")], { cwd: clone() });
  await expect(packing).rejects.toMatchObject({ stderr: expect.stringContaining("ENOENT") });
  await expect.poll(() => readFile(join(clone(), "package.json"), "utf8")).toBe(manifest);
  await expect.poll(() => readdir(clone())).not.toContain("package.json.orig");
});

deepTest("npx runs the demo from the packed file, in an empty folder", async () => {
  await using empty = await temporaryFolder();
  const [packed] = await Array.fromAsync(glob("*.tgz", { cwd: folder.path }));
  await copyFile(folder.file(packed!), empty.file(packed!));
  const child = spawn("npx", ["--yes", `./${packed}`, "serve", "--json"], {
    cwd: empty.path,
    // npm's own settings, such as its registry, may be in the environment. Its cache would be locked by a killed test.
    env: { ...process.env, npm_config_cache: empty.file("cache"), ...serviceEnvironment, LOG_LEVEL: "silent" },
    detached: true,
  });
  const ended = once(child, "exit");
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { agent, evaluation } = JSON.parse(String(line)) as { agent: string; evaluation: string };
    const page = await fetch(agent, { headers: { accept: "text/html" } });
    expect(await page.text()).toContain("<div id=");
    const turn = { messages: [{ type: "human", content: "What is 17 * 23?" }] };
    const reply = await send(`${agent}/`, { body: turn, headers: { "x-model-id": "demo/scripted" } });
    expect(reply.body).toMatchObject({ content: "17 * 23 is 391." });
    await expect
      .poll(async () => (await send(`${evaluation}/runs`)).body)
      .toMatchObject({ runs: expect.arrayContaining([expect.objectContaining({ demo: true })]) });
  } finally {
    process.kill(-child.pid!, "SIGTERM");
    await ended;
  }
});

deepTest("is a small install: one package, and 40 MB", async () => {
  const installed = join(folder.path, "node_modules");
  const manifests = await Array.fromAsync(glob("{*,@*/*}/package.json", { cwd: installed }));
  expect(manifests).toEqual(["rehearsal-eval/package.json"]);
  let bytes = 0;
  for await (const entry of glob("**", { cwd: installed, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  expect(bytes).toBeLessThanOrEqual(40_000_000);
});

/** A command with the modules of Node that it loaded. */
async function listingModules(...parameters: string[]): Promise<{ stdout: string; loaded: string[] }> {
  const listing = `process.on("exit", () => process.stderr.write(process.moduleLoadList.join("\\n")))`;
  const options = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(listing)}` };
  const { stdout, stderr } = await cliWith(options, ...parameters);
  return { stdout, loaded: stderr.split("\n") };
}

deepTest("starts, evaluates and reports in an empty folder, without Node's own HTTP client and HTTP/2", async () => {
  expect((await cli("init", "--yes")).stdout).toContain("wrote rehearsal.yaml");
  const { stdout, loaded } = await listingModules("eval", "--attempts", "1", "-o", "report.html", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ passed: true, runs: [{ demo: true, summary: { failed: 0 } }] });
  expect(await readFile(folder.file("report.html"), "utf8")).toContain("</html>");
  expect(loaded).toContain("NativeModule http");
  expect(loaded).not.toContain("NativeModule http2");
  expect(loaded).not.toContain("NativeModule internal/deps/undici/undici");
  expect((await cli("runs", "export", "latest", "-f", "junit")).stdout).toContain("<testsuites");
});

deepTest("loads child_process only where a program is started", async () => {
  const { loaded } = await listingModules("runs", "list", "--json");
  expect(loaded).toContain("NativeModule sqlite");
  expect(loaded).not.toContain("NativeModule child_process");
});

deepTest("serves both services, the page and the API reference", async () => {
  const child = spawn(process.execPath, [join(rehearsal(), "dist/cli/main.js"), "serve", "--json"], {
    cwd: folder.path,
    env: { ...serviceEnvironment, ...environment(), LOG_LEVEL: "silent" },
  });
  const ended = once(child, "exit");
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { agent, evaluation } = JSON.parse(String(line)) as { agent: string; evaluation: string };
    expect((await send(`${agent}/studio/models`)).body).toHaveProperty("demo-support-v1");
    expect((await send(`${evaluation}/runs`)).status).toBe(200);
    const page = await fetch(agent, { headers: { accept: "text/html" } });
    expect(await page.text()).toContain("<div id=");
    expect((await fetch(`${evaluation}/docs/swagger-ui.css`)).status).toBe(200);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});

deepTest("the library entries can be imported", async () => {
  const script = `
    import { createEvaluationClient, defineConfig } from "rehearsal-eval";
    import { createAgentClient } from "rehearsal-eval/client";
    import { scoreReply } from "rehearsal-eval/scorers";
    import { wilson } from "rehearsal-eval/statistics";
    const scores = scoreReply({ reply: "five days", reference: "five days" });
    console.log(JSON.stringify([typeof createEvaluationClient, typeof defineConfig, typeof createAgentClient,
      scores[0], wilson(8, 10) !== null]));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder.path });
  expect(JSON.parse(stdout)).toEqual([
    "function",
    "function",
    "function",
    { name: "exact_match", value: 1, reason: expect.any(String) },
    true,
  ]);
});

deepTest("rarely used packages are loaded where they are used, without a warning", async () => {
  const script = `
    import { createCheck, prepareText } from "rehearsal-eval/scorers";
    const input = { reply: prepareText('{"a":"xx"}'), references: [] };
    const value = (setting) => createCheck(setting)(input).value;
    const schema = { properties: { a: { pattern: "^x+$" }, b: { type: "number" } }, required: ["a"] };
    const dialects = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"];
    const schemas = [schema, ...dialects.map(($schema) => ({ ...schema, $schema })), { required: ["c"] }];
    console.log(JSON.stringify([value({ type: "regex", pattern: "x{2}", ignore_case: false, negate: false }),
      ...schemas.map((schema) => value({ type: "json_schema", schema }))]));`;
  const checked = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder.path });
  expect([JSON.parse(checked.stdout), checked.stderr]).toEqual([[1, 1, 1, 1, 0], ""]);

  await writeFile(folder.file("table.csv"), "id,user_message,reference_reply\none,Hi,Hello\n");
  const { stdout: yaml } = await cli("export", "table.csv", "--to", "yaml");
  await writeFile(folder.file("table.yaml"), yaml);
  const { stdout: csv, stderr } = await cli("export", "table.yaml", "--to", "csv");
  expect(csv).toMatch(/one,.*Hi,.*Hello/);
  expect(stderr).not.toMatch(/warning/i);
});

/** Every entry of the package, as TypeScript resolves it for Node and for a bundler. */
for (const resolution of ["--module nodenext", "--module node16", "--module esnext --moduleResolution bundler"]) {
  deepTest(`the types accept a right use and refuse a wrong one, with ${resolution}`, async () => {
    const right = `
    import { createEvaluationClient, defineConfig, evaluate, Scenario } from "rehearsal-eval";
    import { createAgentClient } from "rehearsal-eval/client";
    import { matchers } from "rehearsal-eval/jest";
    import { scoreReply, type Score } from "rehearsal-eval/scorers";
    import { wilson } from "rehearsal-eval/statistics";
    import type { Scored } from "rehearsal-eval/vitest";
    export const name: string = (await createEvaluationClient({ url: "" }).get("")).test_name;
    export const scores: Score[] = scoreReply({ reply: "a", reference: ["b"] });
    export const passing = (scored: Scored): boolean => "summary" in scored;
    export const id: string = Scenario.parse({}).id;
    export const passed: boolean = (await evaluate({ scenarios: "a", target: async (messages, { session }) =>
      String(messages.at(-1)?.content) + session.id })).passed;
    export const extending: object = matchers;
    export default [defineConfig({ attempts: 3 }), wilson(1, 2), createAgentClient({ url: "" })];`;
    await writeFile(folder.file("right.ts"), right);
    await writeFile(folder.file("wrong.ts"), right.replace("attempts: 3", 'attempts: "many"'));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--noEmit", "--strict", ...resolution.split(" "), "--target", "es2024", "--types", ""];
    const check = run(process.execPath, [compiler, ...options, "right.ts", "wrong.ts"], { cwd: folder.path });
    await expect(check).rejects.toMatchObject({
      stdout: expect.stringMatching(/^wrong\.ts\S* error TS2322: [^\n]*\n$/),
    });
  });
}

deepTest("the types are plain and small, and have the descriptions of the contract", async () => {
  const folderOfTypes = join(rehearsal(), "dist/types");
  const files = await Array.fromAsync(glob("**/*.d.ts", { cwd: folderOfTypes }));
  const texts = await Promise.all(files.map((file) => readFile(join(folderOfTypes, file), "utf8")));
  // With the types of zod, and each schema written out in them, a compiler needed half a minute and 800 MB.
  expect(texts.join("").length).toBeLessThan(1_000_000);
  expect(texts.filter((text) => /^(?:import|export)\b.* from "(?![./]|node:|vitest")/m.test(text))).toEqual([]);
  const request = texts[files.indexOf("contract/schemas/evaluation-request.d.ts")] ?? "";
  expect(request).toMatch(
    /\n +\/\*\* System prompt of scenarios that have none of their own\. \*\/\n +system_prompt\?: /,
  );
  expect(texts.join("")).toMatch(/\n +\/\*\* The expected reply\. [^\n]* \*\/\n +reference_reply\?: /);
});

deepTest("publint and are-the-types-wrong find nothing", { timeout: 2 * minutes }, async ({ skip }) => {
  await using tools = await temporaryFolder();
  await writeFile(tools.file("package.json"), "{}");
  const installing = run("npm", ["install", "publint@0.3.25", "@arethetypeswrong/cli@0.18.5", ...quiet], {
    cwd: tools.path,
  });
  const failed = await installing.then(
    () => null,
    (error: Error) => error.message,
  );
  if (failed !== null) return skip(`the tools cannot be installed: ${failed}`);
  const [packed] = await Array.fromAsync(glob("*.tgz", { cwd: folder.path }));
  const tool = (name: string, ...parameters: string[]) =>
    run(process.execPath, [join(tools.path, "node_modules", name), ...parameters], { cwd: tools.path });
  const linted = await tool("publint/src/cli.js", "run", folder.file(packed!), "--strict");
  expect(linted.stdout).toContain("All good!");
  // It ends with 1 when it finds something.
  await tool("@arethetypeswrong/cli/dist/index.js", folder.file(packed!), "--profile", "esm-only");
});

deepTest("the package works with PostgreSQL without another package", { timeout: 2 * minutes }, async () => {
  await using database = await createTestDatabase();
  await writeFile(
    folder.file("one.json"),
    JSON.stringify({
      id: "one",
      interactions: [{ id: "1", user_message: "Hi", checks: [{ type: "length", min: 1 }] }],
    }),
  );
  const DATABASE_URL = database.url;
  const evaluate = ["eval", "one.json", "-m", "demo/retrieval", "--json", "--name"];
  const { runs } = JSON.parse((await cliWith({ DATABASE_URL }, ...evaluate, "there")).stdout);
  expect(runs).toMatchObject([{ state: "completed", test_name: "there" }]);
  await cli(...evaluate, "here");
  const copied = JSON.parse((await cli("store", "migrate", database.url, "--json")).stdout);
  expect(copied.runs).toBeGreaterThan(0);
});

// Without vitest its entry cannot be loaded at all.
for (const entry of ["cli/main", "index", "client", "scorers", "statistics", "jest"]) {
  deepTest(`an older Node is refused with one line by ${entry}`, async () => {
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });`;
    const main = join(rehearsal(), `dist/${entry}.js`);
    const parameters = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, main, "--version"];
    await expect(run(process.execPath, parameters)).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^rehearsal needs Node 22\.13 or newer; .*\n$/),
    });
  });
}
