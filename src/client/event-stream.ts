import { EventSourceParserStream, type EventSourceMessage } from "eventsource-parser/stream";

/** The server-sent events of a response. Leaving the loop early closes the connection. */
export async function* parseEventStream(response: Response): AsyncGenerator<EventSourceMessage> {
  if (!response.body) return;
  const text = response.body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  yield* text.pipeThrough(new EventSourceParserStream());
}
