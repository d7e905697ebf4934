import { compact } from "../../base/compact.ts";
import type { Client, FetchLike, PriorDiscovery, Tool as ListedTool } from "@modelcontextprotocol/client";
import { pause, untilAborted } from "../../base/deadline.ts";
import { truncateText } from "../../base/text.ts";
import type { AgentLog } from "../tools/agent-log.ts";
import { redactSecrets } from "../../base/redact-secrets.ts";
import { ToolError, type ToolArguments } from "../tools/tool.ts";
import { fromTextResult, type CallResult } from "./call-result.ts";
import {
  describeConnectFailure,
  explainCallFailure,
  explainOverflow,
  isMcpConnectionLost,
  wasNotExecuted,
} from "./connection-failure.ts";
import type { McpServerConfig } from "./mcp-config.ts";
import { openClient, type OpenClient, type ToolList } from "./mcp-client.ts";

export interface ConnectionOptions {
  readonly fetch: FetchLike | undefined;
  readonly log: AgentLog;
  readonly connectTimeoutMs: number;
  /** The pause before the first retry; it doubles up to `maxMs`. */
  readonly reconnect: { readonly firstMs: number; readonly maxMs: number };
  readonly random: () => number;
  readonly now: () => number;
  /** Called with the whole list after every connection and every change, never concurrently. */
  readonly onTools: (list: ToolList) => Promise<void>;
}

/**
 * Without the schema of its result: the library would check it and reject, although the call has been carried out and the model only
 * reads text.
 */
type CalledTool = Pick<ListedTool, "name" | "inputSchema">;

/** One server, reconnected as often as necessary. */
export interface McpConnection {
  /** Makes the first attempt. Always resolves: after a failure, retries follow automatically. */
  start(): Promise<void>;
  call(tool: CalledTool, args: ToolArguments, options: { signal: AbortSignal; timeoutMs: number }): Promise<CallResult>;
  status(): { connected: boolean; protocol_version: string | null; pid: number | null };
  close(): Promise<void>;
}

const shownLine = 500;
const shownMessages = 1000;

/** A connection that breaks sooner counts as a failed attempt, so that a server that crashes at once is restarted with pauses. */
const steadyMs = 10_000;

/** Delay before tools are listed again after a change, to collect further changes. */
const listDelayMs = 300;

export function createMcpConnection(server: McpServerConfig, options: ConnectionOptions): McpConnection {
  const { log, now } = options;
  const lifetime = new AbortController();
  /** Runs before text is cut, because half a credential would not be recognised. */
  const clean = (text: string) => redactSecrets(text, server.secrets);
  let open: OpenClient | null = null;
  let openedAt = 0;
  let prior: PriorDiscovery | null = null;
  let attempt: Promise<OpenClient> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let listing: Promise<void> = Promise.resolve();
  /** Standard error of the server during the last attempt: usually the reason why it does not start. */
  let stderr = "";

  /** One list after the other, so that the newest wins. */
  const takeTools = ({ listTools }: OpenClient): Promise<void> => {
    listing = listing.catch(() => {}).then(async () => options.onTools(await listTools()));
    return listing;
  };

  const connectOnce = async (): Promise<OpenClient> => {
    let gone = false;
    let current: OpenClient | null = null;
    stderr = "";
    const takeAgain = async () => {
      // Before that, the first list has not been read yet.
      if (current === null || gone) return;
      await takeTools(current).catch((error: unknown) => {
        const fields = { server: server.name, reason: describeConnectFailure(error, clean) };
        if (!gone && !lifetime.signal.aborted) log.warn(fields, "mcp tools could not be listed");
      });
    };
    const opened = await openClient(server, {
      fetch: options.fetch,
      signal: lifetime.signal,
      timeoutMs: options.connectTimeoutMs,
      prior,
      onToolsChanged: coalesce(takeAgain, { pauseMs: listDelayMs, signal: lifetime.signal }),
      onClose: () => {
        gone = true;
        if (current === null || open !== current) return;
        lose(current.hasOverflowed() ? "mcp server disconnected: its answer is too large" : "mcp server disconnected");
      },
      onMessage: (whole) => {
        const line = truncateText(clean(whole), shownLine);
        if (stderr.length < shownMessages) stderr += `${line}\n`;
        log.debug({ server: server.name, line }, "mcp server message");
      },
    });
    current = opened;
    try {
      await takeTools(opened);
      if (gone) throw new Error("The server disconnected at once.");
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
        const message = truncateText(stderr.trim(), shownMessages);
        const fields = compact({
          server: server.name,
          reason: describeConnectFailure(error, clean),
          message: message !== "" ? message : undefined,
        });
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
          if (isMcpConnectionLost(error) && open === used) lose("mcp connection lost");
          // Only calls that the server cannot have executed are sent again.
          if (tries === 1 && wasNotExecuted(error)) continue;
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
 * Returns a function that requests `work`. Work starts `pauseMs` after the first request, and all requests until then are served by it:
 * a burst does not multiply it, and a steady stream does not postpone it. Work never runs concurrently and must not reject.
 */
export function coalesce(
  work: () => Promise<void>,
  { pauseMs, signal }: { pauseMs: number; signal: AbortSignal },
): () => void {
  let isDue = false;
  let isBusy = false;

  const run = async (): Promise<void> => {
    isBusy = true;
    while (isDue && !signal.aborted) {
      await pause(pauseMs, signal).catch(() => {});
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
