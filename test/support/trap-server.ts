import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A server that must never hear anything. It counts connections and keeps every byte, then hangs up. */
export interface TrapServer extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly hits: number;
  /** The text that each connection sent: credentials would show up here. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

const emptyReply =
  "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

export async function startTrapServer({ host = "127.0.0.1" }: { host?: string } = {}): Promise<TrapServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let hits = 0;

  const server = createServer((socket) => {
    const index = hits++;
    received[index] = "";
    sockets.add(socket);
    socket.on("data", (data) => {
      received[index] += data.toString("latin1");
      socket.end(emptyReply);
    });
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, host);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `${origin}/v1`,
    origin,
    port,
    get hits() {
      return hits;
    },
    received,
    close,
    [Symbol.asyncDispose]: close,
  };
}
