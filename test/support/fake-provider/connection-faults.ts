import { Readable } from "node:stream";
import type { ServerResponse } from "node:http";
import { createGzip } from "node:zlib";
import type { Behaviour } from "./behaviour.ts";

export const resetBeforeHeaders: Behaviour = ({ response }) => {
  response.socket?.resetAndDestroy();
};

/** Announces more bytes than it sends, then resets. */
export const resetMidBody: Behaviour = ({ response }) => {
  startBody(response, { "content-length": "1000" }, '{"id":"chat');
  setImmediate(() => response.socket?.resetAndDestroy());
};

/** Ends the connection politely, but short of the announced length. */
export const truncatedBody: Behaviour = ({ response }) => {
  startBody(response, { "content-length": "1000" }, '{"id":"chat');
  setImmediate(() => response.socket?.end());
};

/** Takes the request and never answers. */
export const hang: Behaviour = () => {};

export const headersThenSilence: Behaviour = ({ response }) => startBody(response, {}, "{");

/** One byte now and then, for ever: no pause is ever long enough to be idle. */
export function drip(everyMilliseconds: number): Behaviour {
  return ({ response }) => {
    startBody(response, {}, "{");
    const timer = setInterval(() => response.write(" "), everyMilliseconds);
    response.once("close", () => clearInterval(timer));
  };
}

/** `bytes` of body, made as they are sent: nothing is buffered here either. */
export function hugeBody(bytes: number): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    pipe(response, spaces(bytes));
  };
}

/** `bytes` of body, each in a chunk of its own. */
export function byteByByte(bytes: number): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/json", "transfer-encoding": "chunked" });
    response.flushHeaders();
    response.socket?.end(`${"1\r\n \r\n".repeat(bytes)}0\r\n\r\n`);
  };
}

/** A small gzip stream that unpacks to `bytes`. */
export function gzipBomb(bytes: number): Behaviour {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    pipe(response, spaces(bytes).pipe(createGzip()));
  };
}

function startBody(response: ServerResponse, headers: Record<string, string>, start: string): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.write(start);
}

function spaces(bytes: number): Readable {
  const block = Buffer.alloc(64 * 1024, " ");
  let left = bytes;
  return new Readable({
    read() {
      if (left <= 0) return void this.push(null);
      const size = Math.min(left, block.length);
      left -= size;
      this.push(block.subarray(0, size));
    },
  });
}

function pipe(response: ServerResponse, source: NodeJS.ReadableStream & { destroy?: () => void }): void {
  response.once("close", () => source.destroy?.());
  source.pipe(response);
}
