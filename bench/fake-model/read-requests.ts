import type { Socket } from "node:net";

export interface RawRequest {
  readonly path: string;
  readonly body: Buffer;
}

const headEnd = "\r\n\r\n";

/**
 * Reads HTTP/1.1 requests with a Content-Length off a socket: all that a client on loopback sends. Node's own server
 * would take more of the machine than what is measured.
 */
export function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = pending.indexOf(headEnd);
      if (end < 0) return;
      const head = pending.toString("latin1", 0, end);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const start = end + headEnd.length;
      if (pending.length < start + length) return;
      const path = head.slice(head.indexOf(" ") + 1, head.indexOf(" HTTP/"));
      const body = pending.subarray(start, start + length);
      pending = pending.subarray(start + length);
      onRequest({ path, body });
    }
  });
}
