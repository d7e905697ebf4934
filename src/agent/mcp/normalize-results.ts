import type { JSONRPCMessage, RequestId, Result, Transport } from "@modelcontextprotocol/client";

/** Brings the result of one method into the form the protocol requires. Never throws. */
export type NormalizeResult = (result: Result, params: Readonly<Record<string, unknown>>) => Result;

interface PendingRequest {
  readonly normalize: NormalizeResult;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Normalizes the results of some methods before the library reads them: it refuses a whole result for one mistake, and servers make
 * many. Call it before connecting: the library then calls this handler first.
 */
export function normalizeResults(
  transport: Transport,
  normalizers: Readonly<Partial<Record<string, NormalizeResult>>>,
): void {
  const pending = new Map<RequestId, PendingRequest>();
  const send = transport.send.bind(transport);

  transport.send = async (message, options) => {
    if (!("method" in message)) return send(message, options);
    if (message.method === "notifications/cancelled") pending.delete(message.params?.["requestId"] as RequestId);
    const normalize = normalizers[message.method];
    if (!normalize || !("id" in message)) return send(message, options);
    pending.set(message.id, { normalize, params: message.params ?? {} });
    const forget = () => void pending.delete(message.id);
    options?.requestSignal?.addEventListener("abort", forget, { once: true });
    return send(message, options).catch((error: unknown) => {
      forget();
      throw error;
    });
  };

  transport.onmessage = (message: JSONRPCMessage) => {
    if ("method" in message || message.id === undefined) return;
    // Like the library: some servers answer 7 with "7".
    const id = Number(message.id);
    const request = pending.get(id);
    pending.delete(id);
    if (request && "result" in message) message.result = request.normalize(message.result, request.params);
  };
}
