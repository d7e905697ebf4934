import { EventSourceParserStream } from "eventsource-parser/stream";
import { brokenOff } from "./api-error.ts";

export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Server-sent events of a response body, one by one. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw brokenOff(error);
      });
      if (done) return;
      yield { event: value.event ?? "message", id: value.id, data: value.data };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
