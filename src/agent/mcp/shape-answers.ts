import type { JSONRPCMessage, RequestId, Result, Transport } from "@modelcontextprotocol/client";

/** Gives the result of one method the form that the protocol asks for. Never throws. */
export type Shape = (result: Result, params: Readonly<Record<string, unknown>>) => Result;

interface Question {
  readonly shape: Shape;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Brings the answers to some methods into form before the library reads them: it refuses an answer as a whole for one slip in
 * it, and servers make many. For a transport that is not connected yet: the library calls a handler that was there first.
 */
export function shapeAnswers(transport: Transport, shapes: Readonly<Partial<Record<string, Shape>>>): void {
  const asked = new Map<RequestId, Question>();
  const send = transport.send.bind(transport);

  transport.send = async (message, options) => {
    if (!("method" in message)) return send(message, options);
    if (message.method === "notifications/cancelled") asked.delete(message.params?.["requestId"] as RequestId);
    const shape = shapes[message.method];
    if (!shape || !("id" in message)) return send(message, options);
    asked.set(message.id, { shape, params: message.params ?? {} });
    const forget = () => void asked.delete(message.id);
    options?.requestSignal?.addEventListener("abort", forget, { once: true });
    return send(message, options).catch((error: unknown) => {
      forget();
      throw error;
    });
  };

  transport.onmessage = (message: JSONRPCMessage) => {
    if ("method" in message || message.id === undefined) return;
    // As the library does: some servers answer to 7 with "7".
    const id = Number(message.id);
    const question = asked.get(id);
    asked.delete(id);
    if (question && "result" in message) message.result = question.shape(message.result, question.params);
  };
}
