import type { Socket } from "node:net";

const interim = /^HTTP\/1\.[01] 1\d\d/;
const lastDigit = "HTTP/1.1 10".length;
const endOfHead = "\r\n\r\n";

/**
 * Some servers and gateways say "100 Continue" before their answer although nobody asked for it, as HTTP allows. Undici takes that
 * for a broken answer; a "102 Processing", which tells as little, it passes over. So the one is read as the other.
 */
export function passOverContinue<S extends Pick<Socket, "read" | "write">>(socket: S): S {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
  let isAnswerDue = true;
  socket.write = (...parts: unknown[]) => {
    isAnswerDue = true;
    return write(...parts);
  };
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (isAnswerDue && chunk !== null) isAnswerDue = rewriteContinue(chunk);
    return chunk;
  };
  return socket;
}

/** True when the answer itself is still to come. */
function rewriteContinue(chunk: Buffer): boolean {
  let start = 0;
  while (interim.test(chunk.toString("latin1", start, start + lastDigit + 1))) {
    if (chunk.toString("latin1", start + lastDigit - 1, start + lastDigit + 1) === "00")
      chunk.write("2", start + lastDigit);
    const end = chunk.indexOf(endOfHead, start);
    start = end === -1 ? chunk.length : end + endOfHead.length;
  }
  return start === chunk.length;
}
