import { counted } from "../../../base/text.ts";
import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { listProviderModels } from "../../../models/protocols/list-models.ts";
import { detectLocalServers } from "../../../models/local-servers/detect-local-servers.ts";
import type { Outbound } from "../../../models/outbound/outbound.ts";
import type { HubProvider } from "../../../models/routing/hub-providers.ts";
import type { Settings } from "../../../settings.ts";
import { portIsFree } from "../../options/addresses.ts";
import { exitCodes } from "../../terminal/cli-error.ts";
import { createClients, providerCredential, type KeyedProvider } from "../../composition/clients.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { openStorage, storeFile } from "../../composition/storage.ts";
import { readCustomScorers, readRunner } from "../../composition/operator-modules.ts";
import { readHubProviders } from "../../composition/hub-settings.ts";
import { readAgentTools } from "../../composition/agent-tools.ts";
import { loadConfig } from "../../config/load-config.ts";
import { requireKnownScores } from "../../eval/known-scores.ts";
import { parseGate } from "../../gates/parse-gate.ts";
import { folderPath } from "../../options/parsers.ts";
import { withEnv } from "../../options/shared-options.ts";
import { withSystemReason } from "../../terminal/report-failure.ts";
import { ownFiles } from "../../scenarios/find-files.ts";
import { joinScenarios, noteLine, readScenarioFiles } from "../../scenarios/read-scenarios.ts";
import { brokenScenarios, findScorerProblems } from "../../scenarios/scenario-problems.ts";
import { serverFromEnvironment } from "../../sources/open-source.ts";
import { hasStore } from "../../sources/local-source.ts";
import { outputWidth, printJson, printLine, styleFor } from "../../terminal/output.ts";
import { table } from "../../terminal/table.ts";

interface DoctorOptions {
  readonly dataDir?: string;
  readonly envFile?: readonly string[];
  readonly json?: boolean;
}

/** `rehearsal doctor` */
export function declare(command: Command): void {
  withEnv(command.option("--data-dir <folder>", "where runs are kept (REHEARSAL_DATA_DIR)", folderPath))
    .option("--json", "print the checks as one JSON object")
    .action(doctor);
}

async function doctor({ dataDir, envFile, json }: DoctorOptions): Promise<void> {
  const { settings, warnings } = await loadSettings({ envFile, overrides: { REHEARSAL_DATA_DIR: dataDir } });
  const hubProviders = readHubProviders(settings);
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders });
  const checks = [
    ...warnings.map((warning) => notice("setting", warning)),
    ...(await checkMachine(settings)),
    ...(await attempt("configuration", checkConfiguration)),
    ...checkCredentials(settings, hubProviders),
    ...checkProxy(process.env),
    ...(await checkOperatorParts(settings, { outbound: clients.tools })),
    ...(await checkProviders(settings, { hubProviders, outbound: clients.agent })),
  ];
  const healthy = checks.every(({ state }) => state !== "problem");
  if (json) printJson({ healthy, checks });
  else printFindings(checks);
  if (!healthy) process.exitCode = exitCodes.configuration;
}

function printFindings(checks: readonly HealthCheck[]): void {
  const style = styleFor(process.stdout);
  const marks = { ok: style("green", "✓"), notice: style("yellow", "!"), problem: style("red", "✗") };
  const rows = checks.map(({ name, state, detail }) => [marks[state], name, detail]);
  printLine(table([{ title: "" }, { title: "" }, { title: "" }], rows, outputWidth()));
}

/** Node, ports, the data folder and the store: everything the services need to start. */
async function checkMachine(settings: Settings): Promise<readonly HealthCheck[]> {
  const { server } = settings;
  const checks = await Promise.all([
    attempt("agent port", () => checkPort("agent port", server.host, server.agentPort)),
    attempt("evaluation port", () => checkPort("evaluation port", server.host, server.evalPort)),
    attempt("data folder", () => checkFolder(settings.dataDir)),
    attempt("store", () => checkStore(settings)),
  ]);
  return [ok("Node", process.version), ...checks.flat()];
}

async function checkPort(name: string, host: string, port: number): Promise<HealthCheck> {
  if (port === 0) return ok(name, "any free one");
  if (await portIsFree(host, port)) return ok(name, `${host}:${port} is free`);
  return notice(name, `${host}:${port} cannot be used now: is Rehearsal already running there?`);
}

async function checkFolder(folder: string): Promise<HealthCheck> {
  // The first start creates the folder; until then its parent must be writable.
  const existing = await access(folder).then(
    () => folder,
    () => dirname(resolve(folder)),
  );
  await access(existing, constants.W_OK);
  const { bavail, bsize } = await statfs(existing);
  const gigabytes = (Number(bavail) * Number(bsize)) / 1e9;
  const detail = `${folder} can be written, ${gigabytes.toFixed(1)} GB free`;
  return gigabytes < 0.5 ? notice("data folder", detail) : ok("data folder", detail);
}

/** Checks an existing store and creates none: the first start does, in a folder private to its owner. */
async function checkStore(settings: Settings): Promise<HealthCheck> {
  const file = storeFile(settings);
  if (!hasStore(settings)) return ok("store", `SQLite: ${file} will be created by the first run`);
  await using storage = await openStorage(settings, { onError: () => {} });
  await storage.store.check();
  return ok("store", file === null ? "PostgreSQL answers" : `SQLite: ${file}`);
}

/** The outbound client ignores proxies, which surprises users behind one. */
function checkProxy(environment: NodeJS.ProcessEnv): readonly HealthCheck[] {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"].filter((name) => environment[name]);
  return names.length === 0 ? [] : [notice("proxy", `${names.join(", ")} is set, but model calls do not use a proxy`)];
}

/** Checks this folder's configuration for everything `eval` refuses before the first call: checks, gates and scenarios. */
async function checkConfiguration(): Promise<HealthCheck> {
  const loaded = await loadConfig(undefined);
  const { config, folder, file } = loaded;
  if (file === undefined) return ok("configuration", "none in this folder");
  const gates = (config.gates ?? []).map(parseGate);
  const patterns = [config.scenarios ?? []].flat();
  const files = await readScenarioFiles(patterns, {
    folder,
    namedIn: file,
    except: ownFiles(loaded),
    // Nothing is sent or shown.
    allowFiles: true,
    isClosed: true,
  });
  const [broken] = [
    ...files.flatMap((read) => brokenScenarios(read).map((note) => noteLine(read.file, note))),
    ...findScorerProblems({ config, file }, files),
  ];
  if (broken !== undefined) return problem("configuration", broken);
  const server = config.server ?? serverFromEnvironment(undefined);
  await requireKnownScores(gates, {
    config,
    scenarios: patterns.length === 0 ? undefined : joinScenarios(files),
    server,
  });
  return ok("configuration", `${file} is valid`);
}

/** The operator's own tools, scorers and agent, which can prevent a start. */
async function checkOperatorParts(
  { agent, scorersModule }: Settings,
  { outbound }: { outbound: Outbound },
): Promise<readonly HealthCheck[]> {
  const checks = await Promise.all([
    attempt("tools", () => checkTools(agent, outbound)),
    scorersModule === null ? [] : attempt("scorers", () => checkScorers(scorersModule)),
    agent.runner === null ? [] : attempt("agent", () => checkRunner(agent.runner)),
  ]);
  return checks.flat();
}

async function checkTools(settings: Settings["agent"], outbound: Outbound): Promise<HealthCheck> {
  const { own, mcp } = await readAgentTools(settings, { outbound });
  const names = own.map(({ definition }) => definition.name);
  const servers = mcp?.servers.map(({ name }) => `${name} (MCP)`) ?? [];
  return ok("tools", [...names, ...servers].join(", ") || "none");
}

async function checkScorers(path: string): Promise<HealthCheck> {
  const scorers = await readCustomScorers(path, { scrub: (text) => text });
  return ok("scorers", Object.keys(scorers).join(", ") || `${path} exports none`);
}

async function checkRunner(path: string | null): Promise<HealthCheck> {
  await readRunner(path);
  return ok("agent", `${path} can be loaded`);
}

/** The configured providers, and model servers found on this machine. Only addresses the operator chose are called. */
async function checkProviders(
  settings: Settings,
  { hubProviders, outbound }: { hubProviders: readonly HubProvider[]; outbound: Outbound },
): Promise<readonly HealthCheck[]> {
  const signal = AbortSignal.timeout(10_000);
  const { hub, studio, server } = settings;
  const named = [
    ...(hub ? [{ name: "hub", ...hub }] : []),
    ...hubProviders.map((provider) => ({ ...provider, name: `hub ${provider.name}` })),
    ...(studio ? [{ name: "studio", ...studio }] : []),
  ];
  const checks = await Promise.all([
    ...named.map((provider) => attempt(provider.name, () => checkProvider(provider, { outbound, signal }))),
    attempt("local servers", () =>
      checkLocalServers({ outbound, signal, ownPorts: [server.agentPort, server.evalPort] }),
    ),
  ]);
  const demo = settings.demo ? [notice("demo models", "on: scripted replies, not language models")] : [];
  return [...demo, ...checks.flat()];
}

async function checkProvider(
  { name, ...provider }: KeyedProvider & { readonly name: string },
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): Promise<HealthCheck | readonly HealthCheck[]> {
  const { baseUrl, protocol = "openai-chat" } = provider;
  if (baseUrl === null) return [];
  const credential = providerCredential(provider);
  const list = await listProviderModels({ outbound, baseUrl, protocol, credential, signal, policy: "local" });
  // The query may hold a key.
  const [place] = baseUrl.split("?", 1);
  // Agents and some providers have no model list but serve models by name.
  if (!list.ok && list.error.upstream_status === 404) {
    return notice(name, `${place} answers but lists no models: if they cannot be used, check the path`);
  }
  if (!list.ok) return problem(name, `${place}: ${list.error.detail}`);
  return ok(name, `${place} offers ${counted(list.models.length, "model")}`);
}

async function checkLocalServers(options: Parameters<typeof detectLocalServers>[0]): Promise<readonly HealthCheck[]> {
  const servers = await detectLocalServers({ ...options, policy: "local" });
  if (servers.length === 0) return [ok("local servers", "none found (Ollama, LM Studio, llama.cpp, vLLM)")];
  return servers.map(({ kind, base_url, models, needs_key }) => {
    const offer = needs_key ? "needs a key" : counted(models.length, "model");
    return notice(kind, `${base_url} (${offer}): use it with --endpoint ${base_url}`);
  });
}

/** The addresses that keys are set for; never the keys. */
function checkCredentials(
  { credentials, hub, studio }: Settings,
  hubProviders: readonly HubProvider[],
): readonly HealthCheck[] {
  const places = [
    ...credentials.map(({ origin, path }) => origin + path),
    ...(hub?.apiKey ? ["the hub"] : []),
    ...hubProviders.flatMap(({ name, apiKey }) => (apiKey ? [`the hub ${name}`] : [])),
    ...(studio?.apiKey ? ["the studio"] : []),
  ];
  return [ok("keys", places.length === 0 ? "none set" : `set for ${[...new Set(places)].join(", ")}`)];
}

/** One checked item. A `problem` stops the product, a `notice` does not. */
interface HealthCheck {
  readonly name: string;
  readonly state: "ok" | "notice" | "problem";
  readonly detail: string;
}

const ok = (name: string, detail: string): HealthCheck => ({ name, state: "ok", detail });
const notice = (name: string, detail: string): HealthCheck => ({ name, state: "notice", detail });
const problem = (name: string, detail: string): HealthCheck => ({ name, state: "problem", detail });

/** Runs one check. An exception becomes a problem and does not end the other checks. */
async function attempt(
  name: string,
  check: () => Promise<HealthCheck | readonly HealthCheck[]>,
): Promise<readonly HealthCheck[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [problem(name, error instanceof Error ? withSystemReason(error) : String(error))];
  }
}
