import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Writes an answer straight to a socket and closes it: for requests that never became one. */
export async function answerRaw(socket: Duplex, answer: Response): Promise<void> {
  const body = await answer.text();
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(Buffer.byteLength(body)));
  headers.set("date", new Date().toUTCString());
  headers.set("connection", "close");
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
