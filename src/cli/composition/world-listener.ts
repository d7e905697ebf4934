import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { loadOnce } from "../../base/load-once.ts";
import { createWorldServer, worldPath, type WorldServer } from "../../services/evaluation/world-endpoints.ts";
import { version } from "../version.ts";

interface WorldListener extends AsyncDisposable {
  readonly endpoints: WorldServer;
  /** The origin of the endpoints; null until the first is opened. */
  readonly origin: () => string | null;
}

export const lateCallMessage = "an agent called its world after the end of its attempt";

/**
 * Endpoints for the worlds of a process without an evaluation service: a worker or `rehearsal eval`. It listens when the first is
 * opened, on this machine alone. With a public address (REHEARSAL_EVAL_PUBLIC_URL) it listens on all interfaces at the port of that
 * address, because remote agents have to reach it; nothing but worlds is served there.
 */
export function createWorldListener({
  publicUrl,
  log,
}: {
  publicUrl: string | null;
  log: () => Pick<Logger, "warn">;
}): WorldListener {
  let server: Server | null = null;
  let origin: string | null = null;
  const listenOnce = loadOnce(listen);

  async function listen(): Promise<string> {
    // Loaded here, because most commands never listen.
    const { getRequestListener } = await import("@hono/node-server");
    const url = publicUrl === null ? null : new URL(publicUrl);
    const opened = createServer(
      getRequestListener(
        (request) =>
          new URL(request.url).pathname.startsWith(worldPath)
            ? endpoints.fetch(request)
            : new Response(null, { status: 404 }),
        { overrideGlobalObjects: false },
      ),
    );
    const host = url ? "0.0.0.0" : "127.0.0.1";
    const port = Number(url?.port || (url ? { "http:": 80, "https:": 443 }[url.protocol] : 0));
    await new Promise<void>((resolve, reject) => {
      opened.once("error", reject);
      opened.listen({ host, port }, resolve);
    });
    // A command must be able to end while an agent holds a connection open.
    opened.unref();
    server = opened;
    return (origin = url?.origin ?? `http://127.0.0.1:${(opened.address() as AddressInfo).port}`);
  }

  const endpoints = createWorldServer({
    origin: listenOnce,
    version,
    onLate: (late) => log().warn(late, lateCallMessage),
  });
  return {
    endpoints,
    origin: () => origin,
    async [Symbol.asyncDispose]() {
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    },
  };
}
