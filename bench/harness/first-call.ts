import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A model in this process that tells when it was first called. */
export interface FirstCall extends AsyncDisposable {
  readonly endpoint: string;
  /** `performance.now()` of the first call. */
  readonly called: Promise<number>;
}

const limitMs = 60_000;

export async function createFirstCall(): Promise<FirstCall> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const limit = setTimeout(() => reject(new Error(`no call within ${limitMs / 1000} s`)), limitMs);
  promise.catch(() => {});
  const server = createServer((request, response) => {
    resolve(performance.now());
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      const choices = [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }];
      response.end(JSON.stringify({ id: "first", object: "chat.completion", created: 1, model: "fake", choices }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    called: promise,
    async [Symbol.asyncDispose]() {
      clearTimeout(limit);
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
