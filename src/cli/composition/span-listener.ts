import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ServiceError } from "../../contract/errors/errors.ts";
import { otelPath, type SpanReceiver } from "../../services/evaluation/otel/receiver.ts";

export interface SpanListener extends AsyncDisposable {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT has to be set to. */
  readonly endpoint: string;
}

/** With the path of the service, and without: an exporter without any setting sends to port 4318 without it. */
const route = new RegExp(`^(?:${otelPath})?/v1/(traces|logs|metrics)$`);

/** Receives spans on this machine for a command without an evaluation service. Null when the port is in use. */
export async function listenForSpans(receiver: SpanReceiver, port: number): Promise<SpanListener | null> {
  // Loaded here, because most commands never listen.
  const { getRequestListener } = await import("@hono/node-server");
  const server = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));

  async function answer(request: Request): Promise<Response> {
    const [, signal] = route.exec(new URL(request.url).pathname) ?? [];
    if (signal === undefined) return new Response(null, { status: 404 });
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
    // A page of another site cannot send spans: no browser asks for this address with such a content type.
    if (request.headers.has("origin")) return new Response(null, { status: 403 });
    return receiver.answer({
      signal: signal as "traces" | "logs" | "metrics",
      header: (name) => request.headers.get(name) ?? undefined,
      body: (mostBytes) => readBody(request, mostBytes),
    });
  }

  const isOpen = await new Promise<boolean>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(false) : reject(error),
    );
    server.listen({ host: "127.0.0.1", port }, () => resolve(true));
  });
  if (!isOpen) return null;
  // A command must be able to end while an agent holds a connection open.
  server.unref();
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}${otelPath}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(request: Request, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new ServiceError("body_too_large", `The body is larger than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
