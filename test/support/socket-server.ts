import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface ServerSocket {
  readonly request: IncomingMessage;
  send(text: string): void;
  close(): void;
}

interface SocketServer extends AsyncDisposable {
  readonly url: string;
  readonly sockets: readonly ServerSocket[];
}

/** A WebSocket server for tests: short text messages, without extensions. */
export async function startSocketServer(
  onOpen: (socket: ServerSocket) => void,
  onMessage: (text: string, socket: ServerSocket) => void,
): Promise<SocketServer> {
  const sockets: ServerSocket[] = [];
  const open = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(404).end());
  server.on("upgrade", (request, stream: Duplex) => {
    open.add(stream);
    stream.on("error", () => {}).on("close", () => open.delete(stream));
    const key = createHash("sha1").update(
      `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    const accept = key.digest("base64");
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const socket: ServerSocket = {
      request,
      send: (text) => void stream.write(frame(1, Buffer.from(text))),
      close: () => void stream.end(frame(8, Buffer.from([0x03, 0xe8]))),
    };
    sockets.push(socket);
    onOpen(socket);
    let rest = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let read = readFrame(rest); read; read = readFrame(rest)) {
        rest = rest.subarray(read.length);
        if (read.opcode === 8) stream.end(frame(8, read.payload));
        else if (read.opcode === 1) onMessage(read.payload.toString(), socket);
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const stream of open) stream.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function frame(opcode: number, payload: Buffer): Buffer {
  const size = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size]), payload]);
}

/** Frames of clients are masked. */
function readFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly length: number } | null {
  if (bytes.length < 6) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short === 126 ? 4 : 2;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  const length = head + 4 + size;
  if (bytes.length < length) return null;
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(bytes.subarray(head + 4, length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { opcode: (bytes[0] ?? 0) & 0xf, payload, length };
}
