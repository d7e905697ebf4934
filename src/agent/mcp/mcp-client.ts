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
import { DeadlineExceeded, inTime, withDeadline } from "../../base/deadline.ts";
import { isRecord } from "../../base/json.ts";
import { ConfigError } from "../tools/operator-config.ts";
import { toTextResult } from "./call-result.ts";
import { answerLost, mayBeSseServer } from "./connection-failure.ts";
import type { HttpServer, McpServerConfig, StdioServer } from "./mcp-config.ts";
import { normalizeResults, type NormalizeResult } from "./normalize-results.ts";
import { createToolListReader, mostPages, type ToolListNotes, type ToolListReader } from "./tool-list.ts";

/** The tools of a server. */
export interface ToolList extends Omit<ToolListNotes, "names"> {
  readonly tools: readonly ListedTool[];
}

/** A connected client. */
export interface OpenClient {
  readonly client: Client;
  /** Must not be called concurrently. */
  listTools(): Promise<ToolList>;
  /** The child process of a stdio server. */
  readonly pid: number | null;
  /** True when the connection was ended because of an answer that is too large to be read. */
  hasOverflowed(): boolean;
  /** Spares the next connection the negotiation of the protocol revision. */
  readonly prior: PriorDiscovery;
  close(): Promise<void>;
}

interface OpenOptions {
  readonly fetch: FetchLike | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly prior: PriorDiscovery | null;
  readonly onToolsChanged: () => void;
  readonly onClose: () => void;
  /** A line the server wrote to its standard error. */
  readonly onMessage: (line: string) => void;
}

/**
 * Connects to a server with the newest revision of the protocol it supports, 2025-11-25 and older included, and over SSE if the address
 * belongs to the older transport.
 */
export async function openClient(server: McpServerConfig, options: OpenOptions): Promise<OpenClient> {
  if (server.kind === "stdio") return open(startProcess(server, options), options);
  if (server.isOlder) return openOlder(server, options);
  try {
    return await open(createHttp(server, options), options);
  } catch (error) {
    if (!mayBeSseServer(error)) throw error;
    // The error of the newer transport is more useful to the operator.
    return openOlder(server, options).catch(() => {
      throw error;
    });
  }
}

function openOlder(server: HttpServer, options: OpenOptions): Promise<OpenClient> {
  return open(createSse(server, options), { ...options, prior: { kind: "legacy" } });
}

/** Declares no capabilities: the server cannot use our model, our files or our users. */
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
  normalizeResults(transport, {
    initialize: toInitializeResult,
    "tools/list": reader.normalize,
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
  // Set only now: a failed attempt is not a lost connection, and another attempt may follow.
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
  // The library writes to standard output when a server has no tools.
  if (!client.getServerCapabilities()?.tools) return { tools: [], unusable: [], isCut: false };
  const { tools } = await client.listTools({}, options);
  const { names, unusable, isCut } = reader.notes();
  const kept = new Set(tools.map(({ name }) => name));
  const reason = "its x-mcp-header declarations are not valid";
  const leftOut = names.filter((name) => !kept.has(name)).map((tool) => ({ tool, reason }));
  return { tools, unusable: [...unusable, ...leftOut], isCut };
}

/** Starts no shell, and passes on only PATH, HOME and similar variables: our keys stay here. */
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
 * The library ends a process whose answer is too large. That can take seconds, and pending calls would fail only then. This closes the
 * connection at once.
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

/** A courtesy: a server that does not answer drops the session by itself. */
async function endSession(transport: HttpTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  await inTime(
    transport.terminateSession().catch(() => {}),
    goodbyeMs,
  );
}

/** Reduces the answer to `initialize` to the revision and the tools capability, so that mistakes in the rest do not matter. */
const toInitializeResult: NormalizeResult = ({ protocolVersion, capabilities }) => ({
  protocolVersion,
  capabilities: toolsIn(capabilities),
  serverInfo: { name: "server", version: "unknown" },
});

function toolsIn(capabilities: unknown): { tools?: { listChanged: boolean } } {
  const tools = isRecord(capabilities) ? capabilities["tools"] : undefined;
  // PHP encodes an empty object as an empty list.
  if (tools === true || Array.isArray(tools)) return { tools: { listChanged: false } };
  return isRecord(tools) ? { tools: { listChanged: tools["listChanged"] === true } } : {};
}

/** A longer line is cut. */
const longestLine = 65_536;

/** Reports the whole lines of a stream: half a line may end in half a credential, which would not be recognised. */
export function onEachLine(stream: Stream, onLine: (line: string) => void): void {
  const decoder = new TextDecoder();
  let rest = "";

  function take(text: string): void {
    const lines = (rest + text).split("\n");
    rest = lines.pop()?.slice(0, longestLine) ?? "";
    for (const line of lines) if (line.trim() !== "") onLine(line.trim());
  }

  stream.on("data", (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })));
  stream.on("end", () => take("\n"));
}

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/**
 * The library keeps waiting until the call times out when the stream of an answer has ended without it and cannot be resumed. Here the
 * call fails at once.
 */
class HttpTransport extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    return super.send(message, { onRequestStreamEnd: () => this.#endWithout(message), ...options });
  }

  /** Also called after the answer, when no call waits for this id any more. */
  #endWithout(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    this.onmessage?.({ jsonrpc: "2.0", id: message.id, error: answerLost });
  }
}

interface SseOptions {
  readonly fetch: FetchLike;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds for the server to open its stream and to send the address for messages. */
  readonly timeoutMs: number;
}

/**
 * The transport of servers before 2025-03-26: one stream carries all answers, and each message is a request of its own. The library
 * would reopen a stream that ended, where the server does not know our session. Here the connection closes instead.
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
    try {
      await withDeadline(() => super.start(), { signal, ms });
    } catch (error) {
      throw error instanceof DeadlineExceeded ? new Error("it did not open its stream of events in time") : error;
    }
  }
}

/** Reports a refused message with the error class of the newer transport, which the callers handle. */
function withStatus(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || response.ok) return response;
    const text = await response.text();
    const { status, statusText } = response;
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, statusText, text });
  };
}
