import { randomBytes, randomUUID } from "node:crypto";
import type { Command } from "commander";
import { publicErrorMessage } from "../../../base/format.ts";
import type { RecordedToolCall } from "../../../contract/schemas/acting/tool-call.ts";
import type { ChatMessage, ChatModel, ChatOptions, Reply, TraceContext } from "../../../contract/ports/chat-model.ts";
import { actsInWorld } from "../../../contract/schemas/acting/target.ts";
import type { WorldAddress } from "../../../contract/schemas/acting/world.ts";
import type { Outbound, OutboundRequest, OutboundResult } from "../../../models/outbound/outbound.ts";
import { traceContext } from "../../../runs/execute/trace-ids.ts";
import { replyMessages, withoutEarlierCalls } from "../../../evaluation/conversation/recorded-calls.ts";
import { toStoredReply } from "../../../evaluation/conversation/stored-reply.ts";
import { CliError, exitCodes } from "../../terminal/cli-error.ts";
import { evalOptions } from "../../options/eval-options.ts";
import { addOptions, type OptionTable, type OptionValues } from "../../options/option-table.ts";
import { collect } from "../../options/parsers.ts";
import { sourceOptions } from "../../options/shared-options.ts";
import { note, printJson, printMessage } from "../../terminal/output.ts";

const { model, system, protocol, stream, config, json } = evalOptions;

const probeOptions = {
  envFile: sourceOptions.envFile,
  config,
  command: { flags: "--command <command>", help: "a program that answers JSON lines, in place of a target" },
  message: {
    flags: "--message <text>",
    help: "what the user says (repeatable: the turns of one conversation)",
    parse: collect,
  },
  model: { flags: model.flags, help: "model that is asked for" },
  system: { flags: system.flags, help: "system prompt" },
  protocol: { flags: protocol.flags, help: "protocol of an address", choices: protocol.choices },
  stream: { flags: stream.flags, help: "ask for a streamed reply" },
  json: { flags: json.flags, help: "print requests and replies as one JSON object" },
} as const satisfies OptionTable;

type ProbeOptions = OptionValues<typeof probeOptions>;

/** `rehearsal probe` */
export function declare(command: Command): void {
  const words = "a name under targets in the configuration, a module like ./my-agent.ts or agent.py, or an address";
  addOptions(command.argument("[target]", words), probeOptions).addHelpText("after", examples).action(probe);
}

const examples = `
Examples:
  rehearsal probe support --message "Where is my order?"
  rehearsal probe ./my-agent.ts
  rehearsal probe --command "python bot.py" --message Hello --message "And then?"`;

/** One request to an endpoint and its answer, without secrets. */
interface Exchange {
  readonly request: { method: string; url: string; headers: Readonly<Record<string, string>>; body: unknown };
  response: { status: number | null; body: unknown };
}

async function probe(named: string | undefined, options: ProbeOptions): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const target = await openTarget(named, options);
  opened.defer(target.close);
  const { openProbeWorld, worldReportLines, noPlaceForWorld } = await import("../../eval/probe-world.ts");
  const { place, url, name } = target;
  const world = place && opened.use(await openProbeWorld({ place, agentUrl: url }));
  const { turns, failure, showsCalls } = await talk(target, { ...options, worldUrl: world?.url });
  const report = await world?.report(failure);
  if (options.json) printJson({ target: name, model: options.model ?? name, turns, ...(report && { world: report }) });
  else if (report) for (const line of worldReportLines(report)) printMessage(line);
  if (failure === undefined && !showsCalls && !report) note(unseenCalls);
  if (target.lacksPlace) note(noPlaceForWorld);
  if (failure !== undefined || report?.reached === false) process.exitCode = exitCodes.targetUnusable;
}

const unseenCalls =
  'The answer does not show which tools were called: expectations of calls would be undecided (docs/targets.md, "Tool calls that are seen").';

interface Talk {
  readonly turns: readonly unknown[];
  /** True when a reply showed which tools were called. */
  readonly showsCalls: boolean;
  /** The code of the failure that ended it. */
  readonly failure?: string;
}

/** One conversation, up to its first failure, and the requests after it. */
async function talk(
  target: OpenTarget,
  options: ProbeOptions & { readonly worldUrl: string | undefined },
): Promise<Talk> {
  const end = new AbortController();
  const endings: (() => Promise<void>)[] = [];
  const told = await talkUntil(target, {
    ...options,
    progress: { end: end.signal, onEnd: (work) => void endings.push(work) },
  });
  end.abort();
  const { exchanges, scrub } = target;
  exchanges.length = 0;
  try {
    for (const ending of endings) await ending();
    if (!options.json) printExchanges(exchanges);
    return told;
  } catch (error) {
    if (!options.json) printExchanges(exchanges);
    printMessage(`Failed: ${scrub(publicErrorMessage(error))}`);
    return { ...told, failure: told.failure ?? "upstream_error" };
  }
}

type ProbeProgress = NonNullable<ChatOptions["progress"]>;

async function talkUntil(
  { model, exchanges, scrub }: OpenTarget,
  options: ProbeOptions & { readonly worldUrl: string | undefined; readonly progress: Omit<ProbeProgress, "turns"> },
): Promise<Talk> {
  const { message: said = ["Hello"], system, worldUrl: world_url } = options;
  const turns: unknown[] = [];
  const calls: RecordedToolCall[] = [];
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  const id = randomUUID();
  let issued: string | undefined;
  let showsCalls = false;
  const traceId = randomBytes(16).toString("hex");
  for (const [turn, text] of said.entries()) {
    messages.push({ role: "user", content: text });
    exchanges.length = 0;
    const session = { id, issued, world_url };
    const signal = AbortSignal.timeout(600_000);
    const progress = { ...options.progress, turns: turn };
    const asked = await model(
      { messages: [...messages] },
      { signal, session, progress, trace: probeTrace(traceId, turn + 1), ...(options.stream && { stream: true }) },
    );
    // A run leaves out the calls of earlier turns, and shows the agent its open ones.
    const reply = withoutEarlierCalls(asked, calls);
    if (reply.ok && reply.session_id !== undefined && reply.session_id !== id) issued = reply.session_id;
    const stored = toStoredReply(reply);
    calls.push(...(stored.tool_calls ?? []));
    if (reply.ok) messages.push(...replyMessages(stored));
    const shown = JSON.parse(scrub(JSON.stringify(toShown(reply)))) as ReturnType<typeof toShown>;
    turns.push({ message: text, exchanges: exchanges.map((exchange) => structuredClone(exchange)), ...shown });
    if (!options.json) printTurn(text, exchanges, shown);
    if (!reply.ok) return { turns, showsCalls, failure: reply.error.code };
    showsCalls ||= reply.reported_calls !== undefined || reply.tool_calls.length > 0;
  }
  return { turns, showsCalls };
}

/** A run sends a trace context with every turn, so a probe does too. */
function probeTrace(traceId: string, turn: number): TraceContext {
  const ids = { traceId, spanId: randomBytes(8).toString("hex") };
  return traceContext(ids, { run: "probe", scenario: "probe", attempt: 1, turn });
}

function toShown(reply: Reply) {
  if (!reply.ok) {
    const { code, detail, tries, upstream_message: said } = reply.error;
    return { error: { code, detail, tries, ...(said !== undefined && { upstream_message: said }) } };
  }
  const {
    text,
    greeting,
    tool_calls,
    reported_calls = [],
    usage,
    session_id,
    metadata,
    first_token_ms,
    latency_ms,
  } = reply;
  const calls = [...reported_calls, ...tool_calls];
  return {
    ...(greeting !== undefined && { greeting }),
    reply: text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(usage && { usage }),
    ...(metadata && { labels: metadata }),
    ...(session_id !== undefined && { session_id }),
    ...(first_token_ms !== null && { first_token_ms }),
    latency_ms: Math.round(latency_ms),
  };
}

function printTurn(message: string, exchanges: readonly Exchange[], shown: ReturnType<typeof toShown>): void {
  printMessage(`User: ${message}\n`);
  printExchanges(exchanges);
  if ("error" in shown) {
    const said = shown.error?.upstream_message;
    // The answer of an agent behind HTTP stands above.
    const more = said === undefined || exchanges.length > 0 ? "" : `${indent(said)}\n`;
    return printMessage(`Failed: ${shown.error?.code}: ${shown.error?.detail}\n${more}`);
  }
  for (const [field, value] of Object.entries(shown)) {
    printMessage(`${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  }
  printMessage("");
}

function printExchanges(exchanges: readonly Exchange[]): void {
  for (const { request, response } of exchanges) {
    printMessage(`→ ${request.method} ${request.url}`);
    for (const [header, value] of Object.entries(request.headers)) printMessage(`  ${header}: ${value}`);
    if (request.body !== null) printMessage(indent(request.body));
    printMessage(`← ${response.status ?? "no answer"}`);
    if (response.body !== null) printMessage(indent(response.body));
    printMessage("");
  }
}

const indent = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value, null, 2)).replaceAll(/^/gm, "  ");

interface OpenTarget {
  readonly name: string;
  readonly url: string;
  /** Where the target expects the address of a world. */
  readonly place?: WorldAddress | undefined;
  /** True when the configuration has a world that the target could not act in. */
  readonly lacksPlace?: boolean;
  readonly model: ChatModel;
  readonly exchanges: Exchange[];
  readonly scrub: (text: string) => string;
  readonly close: () => Promise<void>;
}

async function openTarget(named: string | undefined, options: ProbeOptions): Promise<OpenTarget> {
  const [{ loadConfig }, { loadEnvironment, loadSettings, unreachable }, { configuredSecrets, findTarget }] =
    await Promise.all([
      import("../../config/load-config.ts"),
      import("../../config/load-settings.ts"),
      import("../../config/find-target.ts"),
    ]);
  loadEnvironment(options.envFile);
  const { config } = await loadConfig(options.config);
  const isAddress = named !== undefined && /^https?:\/\//.test(named) && !config.targets?.[named];
  const found = isAddress ? undefined : findTarget({ target: named, targetCommand: options.command }, config);
  const endpoint = isAddress ? named : config.endpoint;
  if (!found && (endpoint === undefined || endpoint === "agent")) {
    throw new CliError(
      "no target was given: name one under targets in rehearsal.yaml, a module, --command or an address",
    );
  }
  const loaded = await loadSettings({
    config: options.config,
    envFile: options.envFile,
    overrides: unreachable,
  });
  const secrets = [...loaded.settings.targetSecrets, ...configuredSecrets(config.targets)];
  const settings = { ...loaded.settings, targetSecrets: secrets };
  const [{ createScrubber }, { namedAsSecrets, secretsOf }] = await Promise.all([
    import("../../../services/http/environment/scrub.ts"),
    import("../../composition/operator-secrets.ts"),
  ]);
  const scrub = createScrubber([...secretsOf(settings), ...namedAsSecrets(process.env)]);
  const exchanges: Exchange[] = [];
  const name = found?.name ?? endpoint ?? "";
  const modelId = options.model ?? (Array.isArray(config.model) ? config.model[0] : config.model) ?? name;
  if (found && !("url" in found.target)) {
    const { createUserCode, explainModuleError } = await import("../../composition/user-code.ts");
    const { targets, targetHost } = createUserCode(settings);
    const close = async () => targetHost[Symbol.asyncDispose]();
    await targets.check(found.target).catch(async (error: unknown) => {
      await close();
      explainModuleError(error);
    });
    return { name, url: "", model: targets.modelOf(found.target, modelId), exchanges, scrub, close };
  }
  const [{ createClients }, { createChatModel }, { targetSecretOf }, { createTokenCommands }, { tokenCommandOptions }] =
    await Promise.all([
      import("../../composition/clients.ts"),
      import("../../../models/protocols/create-chat-model.ts"),
      import("../../composition/evaluation.ts"),
      import("../../../runs/user-code/token-commands.ts"),
      import("../../composition/user-code.ts"),
    ]);
  const clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  const target = found && "url" in found.target ? found.target : undefined;
  const protocol = target ? (target.protocol ?? "http") : (options.protocol ?? config.protocol ?? "openai-chat");
  const url = target?.url ?? endpoint ?? "";
  const place = target ? target.world : protocol === "agent" ? config.world_address : undefined;
  const model = createChatModel({
    outbound: recordExchanges(clients.evaluation, exchanges, scrub),
    protocol,
    endpoint: url,
    modelId,
    target,
    secretOf: targetSecretOf(secrets),
    secretOfCommand: createTokenCommands(tokenCommandOptions(settings)),
    worldAddress: place,
  });
  const lacksPlace = config.world !== undefined && !actsInWorld({ protocol, target, world_address: place });
  const close = async (): Promise<void> => clients[Symbol.asyncDispose]();
  return { name, url, place, lacksPlace, model, exchanges, scrub, close };
}

/** The same client, which keeps what was sent and received. Keys that it adds itself are not shown. */
function recordExchanges(outbound: Outbound, exchanges: Exchange[], scrub: (text: string) => string): Outbound {
  const shown = (text: string): unknown => {
    const clean = scrub(text);
    try {
      return JSON.parse(clean) as unknown;
    } catch {
      return clean;
    }
  };
  const request = async (asked: OutboundRequest): Promise<OutboundResult> => {
    const { method, url, headers = {}, body } = asked;
    const clean = Object.entries(headers).map(([name, value]) => [name, scrub(value)]);
    const exchange: Exchange = {
      request: {
        method,
        url: scrub(url),
        headers: Object.fromEntries(clean) as Record<string, string>,
        body: body === undefined ? null : shown(typeof body === "string" ? body : Buffer.from(body).toString()),
      },
      response: { status: null, body: null },
    };
    exchanges.push(exchange);
    const result = await outbound.request({
      ...asked,
      explainFailure(response) {
        exchange.response = { status: response.status, body: shown(response.body) };
        return asked.explainFailure?.(response) ?? null;
      },
    });
    if (!result.ok) return result;
    if (result.kind === "body") {
      exchange.response = { status: result.status, body: shown(result.body) };
      return result;
    }
    exchange.response = { status: result.status, body: "" };
    return { ...result, stream: recorded(result.stream, (text) => (exchange.response.body = scrub(text))) };
  };
  const connect: Outbound["connect"] = async (asked) => {
    const socket = await outbound.connect(asked);
    if ("ok" in socket) return socket;
    const open = (body: unknown): void => {
      const { url, headers = {} } = asked;
      const clean = Object.entries(headers).map(([name, value]): [string, string] => [name, scrub(value)]);
      const request = { method: "WEBSOCKET", url: scrub(url), headers: Object.fromEntries(clean), body };
      exchanges.push({ request, response: { status: 101, body: [] } });
    };
    return {
      get closed() {
        return socket.closed;
      },
      send(text) {
        open(shown(text));
        socket.send(text);
      },
      drain: () => socket.drain(),
      async next(options) {
        const text = await socket.next(options);
        if (text === null) return text;
        if (exchanges.length === 0) open(null);
        const heard = exchanges.at(-1)?.response.body;
        if (Array.isArray(heard)) heard.push(shown(text));
        return text;
      },
      close: () => socket.close(),
    };
  };
  return { ...outbound, request: request as Outbound["request"], connect };
}

async function* recorded(
  stream: AsyncIterableIterator<Uint8Array>,
  keep: (text: string) => void,
): AsyncIterableIterator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    keep(Buffer.concat(chunks).toString());
    yield chunk;
  }
}
