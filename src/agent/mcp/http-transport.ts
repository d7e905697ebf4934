import { StreamableHTTPClientTransport, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { answerLost } from "./connection-failure.ts";

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/**
 * The library's transport, which would wait for an answer until the call's time is over when the stream it was to come on
 * has ended, and cannot be taken up again, without it. Here the call is told so at once.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    return super.send(message, { onRequestStreamEnd: () => this.#endWithout(message), ...options });
  }

  /** Comes after the answer too, when nobody waits for this id any more. */
  #endWithout(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    this.onmessage?.({ jsonrpc: "2.0", id: message.id, error: answerLost });
  }
}
