import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { isRecord } from "../../../base/json.ts";
import { errorLine } from "../../../base/format.ts";
import { truncateText } from "../../../base/text.ts";
import type { RecordedToolCall } from "../../../contract/schemas/acting/tool-call.ts";
import { World } from "../../../contract/schemas/acting/world.ts";
import { createProbes } from "../../../evaluation/tools/probes.ts";
import { prepareWorld } from "../../../evaluation/world/world.ts";
import { worldProblems } from "../../../runs/plan/world-problems.ts";
import type { RecordedSource, StandaloneWorld } from "../../composition/standalone-world.ts";
import { withWorldPaths } from "../../config/load-config.ts";
import { evalOptions } from "../../options/eval-options.ts";
import { addOptions, type OptionTable, type OptionValues } from "../../options/option-table.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { note, printLine } from "../../terminal/output.ts";

const toPort = (text: string): number => {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CliError(`--port: ${truncateText(text, 20)} is no port from 0 to 65535`);
};

const worldOptions = {
  scenario: { flags: "--scenario <id>", help: "the scenario whose world is served, where the file has several" },
  stdio: { flags: "--stdio", help: "speak MCP over standard input and output instead of HTTP" },
  port: { flags: "--port <port>", help: "port of the HTTP server (default: 8765)", parse: toPort },
  host: { flags: "--host <address>", help: "address to listen at (default: 127.0.0.1)" },
  journal: { flags: "--journal <file>", help: "append every call to a file, one JSON object per line" },
  record: {
    flags: "--record <server>",
    help: "record the tools and calls of a real MCP server, by its address or command, into the file",
  },
  config: evalOptions.config,
} as const satisfies OptionTable;

type WorldOptions = OptionValues<typeof worldOptions>;

/** `rehearsal world` */
export function declare(command: Command): void {
  command.argument(
    "<file>",
    "a world, or a scenario with one, in YAML or JSON; with --record the file that is written",
  );
  addOptions(command, worldOptions).addHelpText("after", examples).action(serveWorld);
}

const examples = `
Examples:
  rehearsal world orders.yaml --port 8765 --journal calls.jsonl
  rehearsal world orders.yaml --stdio
  rehearsal world crm.yaml --record "npx -y @acme/crm-mcp"
  rehearsal world crm.yaml --record https://mcp.example.com/mcp`;

async function serveWorld(file: string, options: WorldOptions): Promise<void> {
  const { stdio = false, port = 8_765, host = "127.0.0.1", journal } = options;
  if (stdio && (options.port !== undefined || options.host !== undefined)) {
    throw new CliError("--stdio cannot be combined with --port or --host");
  }
  await using opened = new AsyncDisposableStack();
  const clean = await cleaner(options);
  const world =
    options.record === undefined
      ? await openWorld(file, { ...options, clean, opened })
      : await openRecording(file, options.record, { journal, clean, opened });
  const { serveOverStdio, serveOverHttp } = await import("../../composition/world-mcp.ts");
  if (stdio) return serveOverStdio(world);
  const served = opened.use(await serveOverHttp(world, { host, port }));
  printLine(`The world is at ${served.url} (streamable HTTP). Each session has a state of its own; stop with Ctrl-C.`);
  const { onStopSignal } = await import("../../process/stop-signals.ts");
  const stopped = Promise.withResolvers<void>();
  onStopSignal(async () => stopped.resolve());
  await stopped.promise;
}

type Clean = <Value>(value: Value) => Value;

/** Removes keys, the values of secret variables, and what the rules of the configuration name. */
async function cleaner({ config }: WorldOptions): Promise<Clean> {
  const [{ loadRedaction }, { createRedactor }, { createScrubber }, { namedAsSecrets }] = await Promise.all([
    import("../../config/load-config.ts"),
    import("../../../formats/shared/redact.ts"),
    import("../../../services/http/environment/scrub.ts"),
    import("../../composition/operator-secrets.ts"),
  ]);
  const scrub = createScrubber(namedAsSecrets(process.env));
  const redact = createRedactor(await loadRedaction(config)) ?? ((value) => value);
  const scrubbed = (value: unknown): unknown => {
    if (typeof value === "string") return scrub(value);
    if (Array.isArray(value)) return value.map(scrubbed);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubbed(item)]));
  };
  return <Value>(value: Value): Value => redact(scrubbed(value) as Value);
}

interface OpenOptions {
  readonly journal?: string | undefined;
  readonly clean: Clean;
  readonly opened: AsyncDisposableStack;
}

async function openWorld(
  file: string,
  { scenario, journal, clean, opened }: WorldOptions & OpenOptions,
): Promise<StandaloneWorld> {
  const { standaloneWorld } = await import("../../composition/standalone-world.ts");
  const read = readWorld(await parseFile(file), { file, scenario });
  const located = withWorldPaths(read, (name) => resolve(dirname(file), name));
  const { state_file: stateFile, module: path } = located;
  const state = stateFile === undefined ? located.state : ((await parseFile(stateFile)) as World["state"]);
  const known: World = { ...located, ...(state !== undefined && { state }) };
  const [problem] = worldProblems(known, { pointer: "", trust: "operator" });
  if (problem) throw new CliError(`${file} ${problem.pointer} ${problem.message}`);
  if (path === undefined) {
    return standaloneWorld(prepareWorld(known, { probes: createProbes() }), known, { journal, clean });
  }
  const [{ createUserCode, explainModuleError }, { loadSettings, unreachable }, { withModuleTools }] =
    await Promise.all([
      import("../../composition/user-code.ts"),
      import("../../config/load-settings.ts"),
      import("../../../runs/user-code/world-modules.ts"),
    ]);
  const { settings } = await loadSettings({ overrides: unreachable });
  const { host, modules } = createUserCode(settings);
  opened.use(host);
  const content = await modules.load(path).catch(explainModuleError);
  const initial = known.state ?? content.state ?? {};
  const complete = { ...withModuleTools(known, path, content), state: initial as World["state"] };
  const functions = modules.functions(path, initial);
  return standaloneWorld(prepareWorld(complete, { probes: createProbes(), functions }), complete, { journal, clean });
}

async function parseFile(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CliError(`${file} cannot be read: ${errorLine(cause)}`, undefined, { cause });
  });
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (cause) {
    throw new CliError(`${file} is neither YAML nor JSON: ${errorLine(cause)}`, undefined, { cause });
  }
}

/** A file is a world, a scenario with one, a list of scenarios, or an object with `scenarios` and perhaps a `world` for all. */
function readWorld(content: unknown, { file, scenario }: { file: string; scenario: string | undefined }): World {
  const listed = Array.isArray(content)
    ? content
    : isRecord(content) && Array.isArray(content["scenarios"])
      ? content["scenarios"]
      : [];
  const scenarios = [...listed, content].filter(isRecord).filter((each) => each["world"] !== undefined);
  const named = scenario === undefined ? scenarios : scenarios.filter(({ id }) => id === scenario);
  if (scenario !== undefined && named.length === 0)
    throw new CliError(`${file} has no scenario "${scenario}" with a world`);
  if (named.length > 1) {
    const ids = named.map(({ id }) => String(id)).slice(0, 10);
    throw new CliError(`${file} has several worlds: choose one with --scenario (${ids.join(", ")})`);
  }
  const parsed = World.safeParse(named[0]?.["world"] ?? content);
  if (parsed.success && (parsed.data.tools.length > 0 || parsed.data.module !== undefined)) return parsed.data;
  const [issue] = parsed.error?.issues ?? [];
  const reason = issue ? `/${issue.path.join("/")} ${issue.message}` : "it has no tools";
  throw new CliError(`${file} is no world: ${reason}`);
}

async function openRecording(
  file: string,
  server: string,
  { journal, clean, opened }: OpenOptions,
): Promise<StandaloneWorld> {
  const { recordingWorld, recordedWorld } = await import("../../composition/standalone-world.ts");
  const before = existsSync(file) ? readWorld(await parseFile(file), { file, scenario: undefined }) : undefined;
  if (before && (before.module !== undefined || before.tools.some(({ answers }) => answers))) {
    throw new CliError(`${file} is a world that was written by hand: record into another file`);
  }
  const source = await connectTo(server, opened);
  const recorded: RecordedToolCall[] = (before?.recorded ?? []).map((call) => ({ id: "", ...call }));
  const { stringify } = await import("yaml");
  const save = async (): Promise<void> => {
    const text = stringify(recordedWorld(clean(source.tools), recorded), { lineWidth: 0 });
    await writeFile(
      `${file}.part`,
      `# Recorded by rehearsal world --record; serve it with: rehearsal world ${file}\n${text}`,
    );
    await rename(`${file}.part`, file);
  };
  await save();
  note(`${file} is recorded: calls that it has are answered from it, others by ${clean(server)}.`);
  return recordingWorld(source, { recorded, save, journal, clean });
}

/** A client of the real MCP server. */
async function connectTo(server: string, opened: AsyncDisposableStack): Promise<RecordedSource> {
  const [{ openClient }, { fromTextResult }, { createOutbound }, { outboundFetch }] = await Promise.all([
    import("../../../agent/mcp/mcp-client.ts"),
    import("../../../agent/mcp/call-result.ts"),
    import("../../../models/outbound/create-outbound.ts"),
    import("../../../models/outbound/outbound-fetch.ts"),
  ]);
  const shared = { name: "recorded", allow: null, approval: [], timeoutMs: undefined, secrets: [] };
  const isAddress = /^https?:\/\//.test(server);
  const outbound = opened.use(createOutbound({ policy: "local" }));
  const client = await openClient(
    isAddress
      ? { ...shared, kind: "http", url: server, headers: {}, isOlder: false }
      : {
          ...shared,
          kind: "stdio",
          command: "/bin/sh",
          args: ["-c", `exec ${server}`],
          env: ownEnvironment(),
          cwd: undefined,
        },
    {
      fetch: isAddress ? outboundFetch(outbound, { policy: "local", listenMs: 3_600_000 }) : undefined,
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      prior: null,
      onToolsChanged: () => {},
      onClose: () => {},
      onMessage: () => {},
    },
  ).catch((cause: unknown) => {
    throw new CliError(`--record: ${server} cannot be reached: ${errorLine(cause)}`, undefined, { cause });
  });
  opened.defer(() => client.close());
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name, description = "", inputSchema }) => ({
      name,
      description,
      parameters: inputSchema as World["tools"][number]["parameters"],
    })),
    async call(name, args, signal) {
      const given = { name, arguments: isRecord(args) ? args : {} };
      const { text, isError } = fromTextResult(await client.client.callTool(given, { signal, timeout: 600_000 }));
      return isError ? { error: text.replace(/^Error: /, "") } : { result: parsed(text) };
    },
  };
}

function parsed(text: string): RecordedToolCall["result"] & {} {
  try {
    return JSON.parse(text) as RecordedToolCall["result"] & {};
  } catch {
    return text;
  }
}

/** The real server is started as its user would start it. */
function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
