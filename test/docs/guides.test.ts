import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { httpTools } from "../../src/agent/http-tools/http-tools.ts";
import { parseConfigText } from "../../src/cli/config/parse-config.ts";
import { importScenarios } from "../../src/formats/import-scenarios.ts";
import { parsePriceFile } from "../../src/models/prices/price-of.ts";
import { parseModelsFile } from "../../src/models/studio/models-file.ts";
import { runCli } from "../cli/run-cli.ts";
import { commandLine } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { codeBlocks, root, shellBlocks } from "./markdown.ts";

const run = promisify(execFile);
/** Written by programs: help texts, and figures whose commands take minutes. */
const generated = ["docs/cli.md", "docs/benchmarks.md"];
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].filter((page) => !generated.includes(page));
/** These have tests of their own, with services and answers. */
const served = ["README.md", "docs/http.md", "docs/traces.md"];
const guides = pages.filter((page) => !served.includes(page) && shellBlocks(page).run.length > 0);

test("the guides are all here", () => {
  expect(guides).toEqual(
    expect.arrayContaining(
      ["start", "agents", "ci", "agent", "formats", "migrate-from-promptfoo", "migrate-from-openai-evals", "scale"].map(
        (name) => `docs/${name}.md`,
      ),
    ),
  );
});

test("only these lines of the guides are not run by a test", () => {
  const lines = pages.flatMap((page) => shellBlocks(page).notRun.map((line) => `${page}: ${line.split(/ {2,}#/)[0]}`));
  expect(lines).toEqual([
    "README.md: npm install --save-dev rehearsal-eval",
    "README.md: pip install rehearsal-eval",
    "README.md: npm start",
    "README.md: npm test",
    "CONTRIBUTING.md: npm start",
    "CONTRIBUTING.md: npm test",
    "CONTRIBUTING.md: npm run check",
    "CONTRIBUTING.md: npm run docs:reference",
    "CONTRIBUTING.md: npm run build:site",
    "docs/experiments.md: rehearsal eval scenarios/ -m gpt-5.2 \\",
    "docs/experiments.md:   --variant short:system=@prompts/short.txt \\",
    "docs/experiments.md:   --variant long:system=@prompts/long.txt",
    "docs/judges.md: rehearsal judge list",
    "docs/judges.md: rehearsal judge add faithfulness tone --model judge-model --endpoint http://127.0.0.1:8080/v1",
    "docs/judges.md: rehearsal judge test faithfulness",
    "docs/judges.md: rehearsal judge test tone --cases cases.txt",
    "docs/judges.md: rehearsal judge tune tone --cases cases.txt",
    "docs/migrate-from-openai-evals.md: OPENAI_API_KEY=sk-… node download-evals.mjs",
    "docs/python.md: pip install rehearsal-eval",
    "docs/scale.md: kubectl apply -f deploy/kubernetes/namespace.yaml",
    "docs/scale.md: kubectl create secret generic rehearsal -n rehearsal --from-env-file=rehearsal.env",
    "docs/scale.md: kubectl apply -k deploy/kubernetes",
    "docs/scale.md: rm -f .rehearsal/rehearsal.db-wal .rehearsal/rehearsal.db-shm",
    "docs/scale.md: cp backups/rehearsal-20261115T064207Z.db .rehearsal/rehearsal.db",
    "docs/scale.md: rehearsal serve",
    "docs/simulated-users.md: rehearsal runs freeze latest --scenario ask-to-cancel -o ask-to-cancel.yaml",
    "docs/simulated-users.md: rehearsal eval scenarios/ --model other-model --replay-users latest",
    "docs/simulated-users.md: cd examples/langgraph && npm ci && MODEL_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 node agent.js &",
    "docs/simulated-users.md: rehearsal eval examples/worlds/support-desk.yaml --endpoint http://127.0.0.1:8090/ --protocol agent --model qwen3",
    "docs/spans.md: export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318/otel",
    "docs/spans.md: export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:8001/otel",
    "docs/spans.md: export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "docs/spans.md: export OTEL_BSP_SCHEDULE_DELAY=500",
    "docs/spans.md: pip install flask opentelemetry-distro opentelemetry-exporter-otlp-proto-http opentelemetry-instrumentation-flask",
    "docs/spans.md: pip install openinference-instrumentation-openai",
    "docs/spans.md: opentelemetry-instrument --service_name desk flask --app desk run",
    "docs/start.md: npm install --save-dev rehearsal-eval",
    "docs/start.md: pip install rehearsal-eval",
    "docs/switching-models.md: rehearsal eval --model demo-support-v2 --attempts 3 --baseline before.json --not-worse-by 0.02",
    "docs/switching-models.md: rehearsal eval --models demo-support-v1,demo-support-v2 --until-decided --not-worse-by 0.02 --max-cost 5",
    "docs/traces.md: rehearsal import traces spans/*.json --since 7d --errors only --review",
    "docs/traces.md: rehearsal verdicts show",
    "docs/worlds.md: rehearsal world orders.yaml --port 8765 --journal calls.jsonl",
    "docs/worlds.md: rehearsal world orders.yaml --stdio",
    'docs/worlds.md: rehearsal world crm.yaml --record "npx -y @acme/crm-mcp"',
    "docs/worlds.md: rehearsal world crm.yaml --record https://mcp.example.com/mcp",
  ]);
});

test("no command hides in a block of another kind", () => {
  const command = /^(\$ |(rehearsal|npm|npx|node|curl|docker|kubectl|helm|git|rm|cp|printf) )/m;
  const hidden = pages.flatMap((page) =>
    codeBlocks(page)
      .filter(({ language, text }) => language !== "sh" && !["yaml", "json"].includes(language) && command.test(text))
      .map(({ text }) => `${page}: ${text.trim()}`),
  );
  expect(hidden).toEqual([]);
});

/** A folder with `rehearsal` on the path, the starter files, and the files the guides speak of. */
async function prepared() {
  const folder = await temporaryFolder();
  const tools = folder.file("bin");
  mkdirSync(tools);
  const launcher = join(tools, "rehearsal");
  writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${commandLine}" "$@"\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(tools, "node"));
  const fixtures = join(root, "src/formats/fixtures");
  cpSync(join(fixtures, "promptfooconfig.yaml"), folder.file("promptfooconfig.yaml"));
  cpSync(join(fixtures, "openai-evals-samples.jsonl"), folder.file("openai-evals.jsonl"));
  cpSync(join(fixtures, "openai-evals-items.jsonl"), folder.file("eval_items.jsonl"));
  const evalFolder = "openai-evals/eval_68a1f3c29b0081909a86353f6fb9317a";
  cpSync(join(fixtures, "openai-evals"), folder.file(evalFolder), { recursive: true });
  const cwd = folder.path;
  const env = { PATH: `${tools}:${process.env["PATH"] ?? ""}` };

  /** Runs a block line by line, and returns its stderr. A command that needs no shell runs in this process. */
  async function follow(block: string): Promise<string> {
    const steps = block.includes("<<") ? [block] : block.trimEnd().split("\n");
    let stderr = "";
    for (const line of steps) {
      // A guide names the exit code of a command that shows a failure.
      const { step = line, code = "0" } = /^(?<step>.*?) {2,}# exit code (?<code>\d+)/.exec(line)?.groups ?? {};
      const [program, ...parameters] = plainWords(step);
      if (program !== "rehearsal") stderr += (await run("sh", ["-ec", step], { cwd, env })).stderr;
      else {
        const ended = await runCli(parameters, { cwd });
        if (ended.code !== Number(code)) throw new Error(`${step} ended with ${ended.code}: ${ended.stderr}`);
        stderr += ended.stderr;
      }
    }
    return stderr;
  }
  return { folder, follow };
}

const word = /(?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&;<>()*?#])+/;
const plainLine = new RegExp(`^${word.source}(?: +${word.source})*$`);

/** The words of a line without variables, redirections and other work for a shell; none for any other line. */
const plainWords = (line: string): string[] =>
  plainLine.test(line)
    ? Array.from(line.matchAll(new RegExp(word, "g")), ([text]) => text.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"))
    : [];

test.each(guides)("every shell line of %s does what it says", async (guide) => {
  const { folder, follow } = await prepared();
  await using _ = folder;
  if (!["docs/start.md", "docs/agents.md"].includes(guide)) await follow("rehearsal init --yes");
  for (const block of shellBlocks(guide).run) await expect(follow(block)).resolves.toBeTypeOf("string");
});

test("the configurations, workflows and scenarios that are shown can be read", () => {
  const blocks = (page: string, language: string) =>
    codeBlocks(`docs/${page}.md`).flatMap((block) => (block.language === language ? [block.text] : []));
  const shown = {
    configurations: ["start", "switching-models", "migrate-from-promptfoo", "migrate-from-openai-evals"].flatMap(
      (page) => blocks(page, "yaml"),
    ),
    workflows: blocks("ci", "yaml"),
    servers: blocks("mcp", "json"),
    scenarios: blocks("formats", "yaml"),
  };
  // Counted first: a loop over nothing would prove nothing.
  expect(Object.values(shown).map(({ length }) => length)).toEqual([4, 2, 3, 2]);
  for (const text of shown.configurations) expect(parseConfigText(text, { file: "shown.yaml" })).toBeDefined();
  for (const text of shown.workflows) expect(parse(text)).toHaveProperty("jobs");
  for (const text of shown.servers) expect(JSON.parse(text)).toHaveProperty("mcpServers");
  const scenarios = shown.scenarios.map((text) => importScenarios({ text, name: "shown.yaml" }));
  expect(scenarios).toMatchObject([
    { notes: [], scenarios: [{ id: "refund" }] },
    { notes: [], scenarios: [{ id: "order-7" }] },
  ]);
});

test("the operator's files that are shown are read by their readers", () => {
  const [tools, prices, models, ...others] = codeBlocks("docs/agent.md").flatMap(({ language, text }) =>
    language === "yaml" ? [text] : [],
  );
  expect(others).toEqual([]);
  const operation = (operationId: string) => ({ operationId, responses: { 200: { description: "ok" } } });
  const document = {
    openapi: "3.1.0",
    servers: [{ url: "https://shop.example.com" }],
    paths: { "/stores": { get: operation("listStores") }, "/visits": { post: operation("bookVisit") } },
  };
  const declared = httpTools(parse(tools ?? ""), {
    variables: { SHOP_TOKEN: "secret" },
    readDocument: () => JSON.stringify(document),
    send: () => Promise.reject(new Error("nothing is sent")),
  });
  expect(declared.map(({ definition, needsApproval }) => [definition.name, Boolean(needsApproval)])).toEqual([
    ["order_status", false],
    ["cancel_order", true],
    ["shop_listStores", false],
    ["shop_bookVisit", true],
  ]);
  expect(parsePriceFile(prices ?? "", "prices.yaml").get("support-1")).toEqual({ input: 0.5, output: 1.5 });
  expect(parseModelsFile(models ?? "", "models.yaml")).toMatchObject([
    { name: "support-v2", id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301" },
    { name: "support-v3", base_url: "https://tuned.example.com/v1", model: "support-v3-2026-10" },
  ]);
});

test("eval and the example are as the guide to agents shows them", async () => {
  await using folder = await temporaryFolder();
  await runCli(["init", "--yes", "--example", "agent"], { cwd: folder.path });
  const { stdout } = await runCli(["eval"], { cwd: folder.path });
  const [shown] = codeBlocks("docs/agents.md").flatMap(({ language, text }) => (language === "text" ? [text] : []));
  expect(stdout).toContain(shown?.trimEnd() ?? "?");
  const [scenario] = codeBlocks("docs/agents.md").flatMap(({ language, text }) => (language === "yaml" ? [text] : []));
  expect(parse(readFileSync(folder.file("scenarios/cancel-in-time.yaml"), "utf8"))).toMatchObject(
    parse(scenario ?? "") as object,
  );
});

test("import says what the guides show", async () => {
  const { folder, follow } = await prepared();
  await using _ = folder;
  const table = shellBlocks("docs/formats.md").run.find((block) => block.includes("questions.csv")) ?? "";
  const shown = codeBlocks("docs/formats.md").find(({ text }) => text.includes("read as csv"))?.text;
  expect(await follow(table)).toBe(shown);
  const stderr = await follow("rehearsal import promptfooconfig.yaml -o scenarios.yaml");
  const noted = codeBlocks("docs/migrate-from-promptfoo.md").find(({ text }) => text.startsWith("dropped"))?.text;
  expect(stderr).toContain(noted?.trim() ?? "?");
  expect(readFileSync(folder.file("scenarios.yaml"), "utf8")).toContain("Answer in English");
  const imported = await follow("rehearsal import openai-evals/ -o from-openai.yaml");
  const lost = codeBlocks("docs/migrate-from-openai-evals.md").find(({ text }) => text.startsWith("dropped"))?.text;
  for (const line of lost?.trim().split("\n") ?? ["?"]) expect(imported).toContain(line);
});
