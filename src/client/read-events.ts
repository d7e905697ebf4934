import { EventSourceParserStream, type EventSourceMessage } from "eventsource-parser/stream";

/** Server-sent events of an answer, one by one. Ending the loop early closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<EventSourceMessage> {
  if (!response.body) return;
  const text = response.body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  yield* text.pipeThrough(new EventSourceParserStream());
}
