import type { Client, FetchLike, PriorDiscovery, Tool as ListedTool } from "@modelcontextprotocol/client";
import { untilAborted } from "../../base/deadline.ts";
import { firstCharacters } from "../../base/text.ts";
import type { AgentLog } from "../agent-log.ts";
import { withoutSecrets } from "../text/without-secrets.ts";
import { ToolError, type ToolArguments } from "../tool.ts";
import { fromTextResult, type CallResult } from "./call-result.ts";
import {
  describeConnectFailure,
  explainCallFailure,
  explainOverflow,
  isLost,
  wasNotCarriedOut,
} from "./connection-failure.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { openClient, type OpenClient, type ToolList } from "./open-client.ts";

export interface ConnectionOptions {
  readonly fetch: FetchLike | undefined;
  readonly log: AgentLog;
  readonly connectTimeoutMs: number;
  /** The wait before the first new try; it doubles up to `maxMs`. */
  readonly reconnect: { readonly firstMs: number; readonly maxMs: number };
  readonly random: () => number;
  readonly now: () => number;
  /** Called with the whole list after every connection and every change, one after the other. */
  readonly onTools: (list: ToolList) => Promise<void>;
}

/**
 * Without the schema of its result, which the library would check: the model reads text, and by then the call is carried
 * out, whatever form its result has.
 */
type CalledTool = Pick<ListedTool, "name" | "inputSchema">;

/** One server over as many connections as it takes. */
export interface McpConnection {
  /** The first try. Resolves in any case: when it fails, others follow by themselves. */
  start(): Promise<void>;
  call(tool: CalledTool, args: ToolArguments, options: { signal: AbortSignal; timeoutMs: number }): Promise<CallResult>;
  status(): { connected: boolean; protocol_version: string | null; pid: number | null };
  close(): Promise<void>;
}

const shownLine = 500;
const shownMessages = 1000;

/** A connection that broke sooner than this counts as a failed try, so that a server that crashes at once is not started all the time. */
const steadyMs = 10_000;

/** How long the news that tools have changed wait for more of them. */
const calmMs = 300;

export function createMcpConnection(server: McpServerConfig, options: ConnectionOptions): McpConnection {
  const { log, now } = options;
  const lifetime = new AbortController();
  /** Comes before everything that cuts: half a credential is still one. */
  const clean = (text: string) => withoutSecrets(text, server.secrets);
  let open: OpenClient | null = null;
  let openedAt = 0;
  let prior: PriorDiscovery | null = null;
  let attempt: Promise<OpenClient> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let listing: Promise<void> = Promise.resolve();
  /** What the server wrote to its standard error during the last try: mostly why it does not start. */
  let said = "";

  /** One list after the other, so that the newest is taken last. */
  const takeTools = ({ listTools }: OpenClient): Promise<void> => {
    listing = listing.catch(() => {}).then(async () => options.onTools(await listTools()));
    return listing;
  };

  const connectOnce = async (): Promise<OpenClient> => {
    let gone = false;
    let current: OpenClient | null = null;
    said = "";
    const takeAgain = async () => {
      // Before that the first list is still to come.
      if (current === null || gone) return;
      await takeTools(current).catch((error: unknown) => {
        const fields = { server: server.name, reason: describeConnectFailure(error, clean) };
        if (!gone && !lifetime.signal.aborted) log.warn(fields, "mcp tools could not be checked");
      });
    };
    const opened = await openClient(server, {
      fetch: options.fetch,
      signal: lifetime.signal,
      timeoutMs: options.connectTimeoutMs,
      prior,
      onToolsChanged: onceCalm(takeAgain, { pauseMs: calmMs, signal: lifetime.signal }),
      onClose: () => {
        gone = true;
        if (current === null || open !== current) return;
        lose(current.hasOverflowed() ? "mcp server ended: its answer is too large to be read" : "mcp server went away");
      },
      onMessage: (whole) => {
        const line = firstCharacters(clean(whole), shownLine);
        if (said.length < shownMessages) said += `${line}\n`;
        log.debug({ server: server.name, line }, "mcp server message");
      },
    });
    current = opened;
    try {
      await takeTools(opened);
      if (gone) throw new Error("The server went away at once.");
    } catch (error) {
      await opened.close().catch(() => {});
      throw opened.hasOverflowed() ? new Error("its list of tools is too large to be read") : error;
    }
    return opened;
  };

  const connect = (): Promise<OpenClient> => {
    clearTimeout(timer);
    attempt ??= connectOnce()
      .then((opened) => {
        open = opened;
        openedAt = now();
        prior = opened.prior;
        const version = opened.client.getNegotiatedProtocolVersion();
        log.info({ server: server.name, protocol_version: version, pid: opened.pid }, "mcp server connected");
        return opened;
      })
      .catch((error: unknown) => {
        prior = null;
        retryLater(1);
        const message = firstCharacters(said.trim(), shownMessages);
        const fields = {
          server: server.name,
          reason: describeConnectFailure(error, clean),
          ...(message !== "" && { message }),
        };
        if (!lifetime.signal.aborted) log.warn(fields, "mcp server cannot be reached");
        throw error;
      })
      .finally(() => {
        attempt = null;
      });
    return attempt;
  };

  const retryLater = (failed: number) => {
    if (lifetime.signal.aborted) return;
    failures = failed === 0 ? 0 : failures + failed;
    const { firstMs, maxMs } = options.reconnect;
    const wait = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
    clearTimeout(timer);
    timer = setTimeout(() => void connect().catch(() => {}), wait * (0.5 + options.random() / 2));
    timer.unref();
  };

  const lose = (message: string) => {
    if (lifetime.signal.aborted) return;
    const lost = open;
    open = null;
    log.warn({ server: server.name }, message);
    retryLater(now() - openedAt < steadyMs ? 1 : 0);
    void lost?.close().catch(() => {});
  };

  const ready = async (signal: AbortSignal): Promise<OpenClient> => {
    lifetime.signal.throwIfAborted();
    return open ?? (await untilAborted(connect(), signal));
  };

  const callOnce = async (
    client: Client,
    toolDefinition: CalledTool,
    args: ToolArguments,
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ): Promise<CallResult> => {
    const call = { name: toolDefinition.name, arguments: { ...args } };
    return fromTextResult(await client.callTool(call, { signal, timeout: timeoutMs, toolDefinition }));
  };

  return {
    start: () =>
      connect().then(
        () => {},
        () => {},
      ),
    call: async (tool, args, limits) => {
      for (let tries = 1; ; tries += 1) {
        const used = await ready(limits.signal).catch((error: unknown) => {
          limits.signal.throwIfAborted();
          throw new ToolError(`The MCP server "${server.name}" cannot be reached.`, { cause: error });
        });
        try {
          return await callOnce(used.client, tool, args, limits);
        } catch (error) {
          limits.signal.throwIfAborted();
          if (isLost(error) && open === used) lose("mcp connection lost");
          // Only what the server cannot have carried out is sent again.
          if (tries === 1 && wasNotCarriedOut(error)) continue;
          const reason = used.hasOverflowed()
            ? explainOverflow(server.name)
            : explainCallFailure(error, server.name, clean);
          throw new ToolError(reason, { cause: error });
        }
      }
    },
    status: () => ({
      connected: open !== null,
      protocol_version: open?.client.getNegotiatedProtocolVersion() ?? null,
      pid: open?.pid ?? null,
    }),
    close: async () => {
      lifetime.abort(new Error("The agent is shutting down."));
      clearTimeout(timer);
      const last = open;
      open = null;
      await Promise.allSettled([last?.close(), attempt?.then((opened) => opened.close())]);
    },
  };
}

/**
 * Asks for `work` to be done. It begins a little later, and what is asked for until then is one piece of work: a burst does not
 * multiply it, and a stream that never pauses does not put it off. Never two at the same time. `work` does not reject.
 */
export function onceCalm(
  work: () => Promise<void>,
  { pauseMs, signal }: { pauseMs: number; signal: AbortSignal },
): () => void {
  let isDue = false;
  let isBusy = false;

  const run = async (): Promise<void> => {
    isBusy = true;
    while (isDue && !signal.aborted) {
      await pause(pauseMs);
      isDue = false;
      if (!signal.aborted) await work();
    }
    isBusy = false;
  };

  return () => {
    isDue = true;
    if (!isBusy) void run();
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());
