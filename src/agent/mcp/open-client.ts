import type { Stream } from "node:stream";
import {
  Client,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
  type PriorDiscovery,
  type Tool as ListedTool,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { inTime, untilAborted } from "../../base/deadline.ts";
import { isRecord } from "../../base/json.ts";
import { ConfigError } from "../config-error.ts";
import { createTimeLimit } from "../time-limit.ts";
import { toTextResult } from "./call-result.ts";
import { answerLost, mayBeOlder } from "./connection-failure.ts";
import type { HttpServer, McpServerConfig, StdioServer } from "./mcp-config.ts";
import { shapeAnswers, type Shape } from "./shape-answers.ts";
import { createToolListReader, mostPages, type ToolListNotes, type ToolListReader } from "./tool-list.ts";

/** What a server offers. */
export interface ToolList extends Omit<ToolListNotes, "names"> {
  readonly tools: readonly ListedTool[];
}

/** A connected client. */
export interface OpenClient {
  readonly client: Client;
  /** Not to be called again before the last call has ended. */
  listTools(): Promise<ToolList>;
  /** The process we started, if we did. */
  readonly pid: number | null;
  /** Whether it ended for an answer that is too large to be read. */
  hasOverflowed(): boolean;
  /** Saves the next connection the question which revision the server speaks. */
  readonly prior: PriorDiscovery;
  close(): Promise<void>;
}

interface OpenOptions {
  readonly fetch: FetchLike | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly prior: PriorDiscovery | null;
  /** The server has other tools than before. */
  readonly onToolsChanged: () => void;
  readonly onClose: () => void;
  /** A line the server wrote to its standard error. */
  readonly onMessage: (line: string) => void;
}

/**
 * Connects to a server: with the current revision of the protocol where it is spoken, with 2025-11-25 and before where not, and
 * over SSE where an address is one of the older transport.
 */
export async function openClient(server: McpServerConfig, options: OpenOptions): Promise<OpenClient> {
  if (server.kind === "stdio") return open(startProcess(server, options), options);
  if (server.isOlder) return openOlder(server, options);
  try {
    return await open(createHttp(server, options), options);
  } catch (error) {
    if (!mayBeOlder(error)) throw error;
    // What was wrong with the newer transport is more likely what the operator can act upon.
    return openOlder(server, options).catch(() => {
      throw error;
    });
  }
}

function openOlder(server: HttpServer, options: OpenOptions): Promise<OpenClient> {
  return open(createSse(server, options), { ...options, prior: { kind: "legacy" } });
}

/** Nothing is offered to the server that would let it ask for our model, our files or our users. */
async function open(transport: Transport, options: OpenOptions): Promise<OpenClient> {
  const { signal, timeoutMs, prior, onToolsChanged, onClose } = options;
  const client = new Client(
    { name: "rehearsal", version: "1" },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(timeoutMs, 10_000) } },
      inputRequired: { autoFulfill: false },
      listMaxPages: mostPages,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  const hasOverflowed = transport instanceof StdioClientTransport ? closeOnOverflow(transport) : () => false;
  const reader = createToolListReader();
  shapeAnswers(transport, {
    initialize: toInitializeResult,
    "tools/list": reader.shape,
    "tools/call": toTextResult,
  });
  const close = async () => {
    if (transport instanceof HttpTransport) await endSession(transport);
    await client.close();
  };
  try {
    await client.connect(transport, { timeout: timeoutMs, signal, ...(prior && { prior }) });
  } catch (error) {
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
    throw error;
  }
  // Not before: a try that failed is no connection that was lost, and another may follow.
  client.onclose = onClose;
  const discover = client.getDiscoverResult();
  return {
    client,
    listTools: () => listTools(client, reader, { timeout: timeoutMs, signal }),
    pid: transport instanceof StdioClientTransport ? transport.pid : null,
    hasOverflowed,
    prior: discover ? { kind: "modern", discover } : { kind: "legacy" },
    close,
  };
}

async function listTools(
  client: Client,
  reader: ToolListReader,
  options: { timeout: number; signal: AbortSignal },
): Promise<ToolList> {
  // The library would write to standard output about a server that has no tools.
  if (!client.getServerCapabilities()?.tools) return { tools: [], unusable: [], isCut: false };
  const { tools } = await client.listTools({}, options);
  const { names, unusable, isCut } = reader.notes();
  const kept = new Set(tools.map(({ name }) => name));
  const reason = "what it declares with x-mcp-header is not valid";
  const leftOut = names.filter((name) => !kept.has(name)).map((tool) => ({ tool, reason }));
  return { tools, unusable: [...unusable, ...leftOut], isCut };
}

/** No shell, and of our environment only what every program needs (PATH, HOME and the like): our keys stay here. */
function startProcess(server: StdioServer, { onMessage }: OpenOptions): StdioClientTransport {
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...server.args],
    env: { ...server.env },
    stderr: "pipe",
    ...(server.cwd !== undefined && { cwd: server.cwd }),
  });
  if (transport.stderr) onEachLine(transport.stderr, onMessage);
  return transport;
}

/**
 * The library ends a process whose answer is larger than it reads. That can take seconds, and only then would it tell those who
 * wait for an answer. Here they are told at once.
 */
function closeOnOverflow(transport: StdioClientTransport): () => boolean {
  let hasOverflowed = false;
  transport.onerror = ({ message }) => {
    if (hasOverflowed || !message.includes("exceeded maximum size")) return;
    hasOverflowed = true;
    transport.onclose?.();
  };
  return () => hasOverflowed;
}

function createHttp(server: HttpServer, options: OpenOptions): Transport {
  return new HttpTransport(new URL(server.url), {
    fetch: fetchOf(server, options),
    requestInit: { headers: { ...server.headers }, redirect: "error" },
  });
}

function createSse(server: HttpServer, options: OpenOptions): Transport {
  const { signal, timeoutMs } = options;
  const { headers } = server;
  return new SseTransport(new URL(server.url), { fetch: fetchOf(server, options), headers, signal, timeoutMs });
}

function fetchOf({ name }: HttpServer, { fetch }: OpenOptions): FetchLike {
  if (fetch) return fetch;
  throw new ConfigError(`The MCP server "${name}" has a url, and no way to open connections was given.`);
}

const goodbyeMs = 1000;

/** A courtesy: a server that does not answer forgets the session by itself. */
async function endSession(transport: HttpTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  const goodbye = transport.terminateSession().catch(() => {});
  await inTime(goodbye, goodbyeMs);
}

/** Leaves of a server's greeting what we use: its revision, and whether it has tools. A slip in the rest of it costs nothing. */
const toInitializeResult: Shape = ({ protocolVersion, capabilities }) => ({
  protocolVersion,
  capabilities: toolsIn(capabilities),
  serverInfo: { name: "server", version: "unknown" },
});

function toolsIn(capabilities: unknown): { tools?: { listChanged: boolean } } {
  const tools = isRecord(capabilities) ? capabilities["tools"] : undefined;
  // In PHP an empty object is written as an empty list.
  if (tools === true || Array.isArray(tools)) return { tools: { listChanged: false } };
  return isRecord(tools) ? { tools: { listChanged: tools["listChanged"] === true } } : {};
}

/** Of a line that does not end, no more is kept. */
const longestLine = 65_536;

/** Tells each line of a stream, and only whole ones: half a line may end in half a credential, which nobody knows for one. */
export function onEachLine(stream: Stream, tell: (line: string) => void): void {
  const decoder = new TextDecoder();
  let rest = "";

  function take(text: string): void {
    const lines = (rest + text).split("\n");
    rest = lines.pop()?.slice(0, longestLine) ?? "";
    for (const line of lines) if (line.trim() !== "") tell(line.trim());
  }

  stream.on("data", (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })));
  stream.on("end", () => take("\n"));
}

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/**
 * The library's transport, which would wait for an answer until the call's time is over when the stream it was to come on
 * has ended, and cannot be taken up again, without it. Here the call is told so at once.
 */
class HttpTransport extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    return super.send(message, { onRequestStreamEnd: () => this.#endWithout(message), ...options });
  }

  /** Comes after the answer too, when nobody waits for this id any more. */
  #endWithout(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    this.onmessage?.({ jsonrpc: "2.0", id: message.id, error: answerLost });
  }
}

interface SseOptions {
  readonly fetch: FetchLike;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How long the server may take to open its stream and to say where messages go. */
  readonly timeoutMs: number;
}

/**
 * The transport of servers from before 2025-03-26: one stream brings all answers, and each message is a request of its own. The
 * library would open a stream that ended anew by itself, to a server that knows nothing of us there. Here the connection is over.
 */
class SseTransport extends SSEClientTransport {
  readonly #options: SseOptions;

  constructor(url: URL, options: SseOptions) {
    super(url, {
      fetch: withStatus(options.fetch),
      requestInit: { headers: { ...options.headers }, redirect: "error" },
    });
    this.#options = options;
    this.onerror = (error) => {
      if (SseError.isInstance(error)) void this.close();
    };
  }

  override async start(): Promise<void> {
    const { signal, timeoutMs: ms } = this.#options;
    using limit = createTimeLimit({ signal, ms });
    try {
      await untilAborted(super.start(), limit.signal);
    } catch (error) {
      throw limit.expired ? new Error("it did not open its stream of events in time") : error;
    }
  }
}

/** What a server says to a message it does not take, in the shape of the newer transport: we know what to make of that. */
function withStatus(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || response.ok) return response;
    const text = await response.text();
    const { status, statusText } = response;
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, statusText, text });
  };
}
