import { compact } from "../../base/compact.ts";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { loadOnce } from "../../base/load-once.ts";
import type { ServedAttempt } from "../../contract/ports/world-endpoints.ts";
import type { WorldRelay } from "../../contract/ports/world-relay.ts";
import { createWorldServer, worldPath, type WorldServer } from "../../services/evaluation/routes/world-endpoints.ts";
import { parseOrigin } from "../../settings/address.ts";
import { CliError } from "../terminal/cli-error.ts";
import { version } from "../terminal/version.ts";
import type { Core } from "./core.ts";

interface WorldListener extends AsyncDisposable {
  readonly endpoints: WorldServer;
  /** The origin of the endpoints; null until the first is opened. */
  readonly origin: () => string | null;
}

/** REHEARSAL_EVAL_PUBLIC_URL of a command. Nothing else of it is reachable, so its other exposure settings do not apply. */
export function publicWorldUrl(): string | null {
  const text = process.env["REHEARSAL_EVAL_PUBLIC_URL"]?.trim();
  return text ? parseOrigin("REHEARSAL_EVAL_PUBLIC_URL", text) : null;
}

/** Logs a call that an agent made while no turn was under way, and counts it in its run. */
export function reportLateCall({ log, runs }: Pick<Core, "log" | "runs">, { runId, name }: ServedAttempt): void {
  log.warn({ run: name }, "an agent called its world after its reply or the end of its attempt");
  runs.noteLateCall(runId);
}

/**
 * Endpoints for the worlds of a process without an evaluation service: a worker or `rehearsal eval`. It listens when the first is
 * opened, on this machine alone. With a public address (REHEARSAL_EVAL_PUBLIC_URL), a command listens on all interfaces at the port of
 * that address, because remote agents have to reach it; nothing but worlds is served there. At the public address of a worker the
 * services listen, and pass requests on to it (`relay`).
 */
export function createWorldListener({
  publicUrl,
  relay,
  onLate = () => {},
  onRequest,
}: {
  publicUrl: string | null;
  relay?: () => WorldRelay;
  onLate?: (attempt: ServedAttempt) => void;
  /** Called with the body of each request to an endpoint. */
  onRequest?: (body: unknown) => void;
}): WorldListener {
  let server: Server | null = null;
  let origin: string | null = null;
  const listenOnce = loadOnce(listen);

  async function listen(): Promise<string> {
    // Loaded here, because most commands never listen.
    const { getRequestListener } = await import("@hono/node-server");
    const url = publicUrl === null || relay ? null : new URL(publicUrl);
    const opened = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));
    const host = url ? "0.0.0.0" : "127.0.0.1";
    const port = Number(url?.port || (url ? { "http:": 80, "https:": 443 }[url.protocol] : 0));
    await new Promise<void>((resolve, reject) => {
      opened.once("error", (cause: NodeJS.ErrnoException) => {
        const reason = { EADDRINUSE: "is in use", EACCES: "may not be opened by this user" }[cause.code ?? ""];
        const message = `the port ${port} of REHEARSAL_EVAL_PUBLIC_URL ${reason ?? "cannot be opened"}: name another one there`;
        reject(new CliError(message, undefined, { cause }));
      });
      opened.listen({ host, port }, resolve);
    });
    // A command must be able to end while an agent holds a connection open.
    opened.unref();
    server = opened;
    return (origin = url?.origin ?? `http://127.0.0.1:${(opened.address() as AddressInfo).port}`);
  }

  /** A command has to listen before it hands its public address out. */
  async function openWhenListening(...[world, attempt]: Parameters<WorldServer["open"]>) {
    if (publicUrl !== null && !relay) await listenOnce();
    return worlds.open(world, attempt);
  }

  async function answer(request: Request): Promise<Response> {
    if (!new URL(request.url).pathname.startsWith(worldPath)) return new Response(null, { status: 404 });
    if (!onRequest || request.method !== "POST") return endpoints.fetch(request);
    const parsedBody: unknown = await request.json().catch(() => undefined);
    onRequest(parsedBody);
    return endpoints.fetch(request, { parsedBody });
  }

  const worlds = createWorldServer(
    compact({
      publicOrigin: () => publicUrl,
      origin: listenOnce,
      relay,
      version,
      onLate,
    }),
  );
  const endpoints: WorldServer = { ...worlds, open: openWhenListening };
  return {
    endpoints,
    origin: () => origin,
    async [Symbol.asyncDispose]() {
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    },
  };
}
