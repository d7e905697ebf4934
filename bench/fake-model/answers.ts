import { makeText, type Behaviour } from "./behaviour.ts";
import { stampPlace } from "./stamp.ts";

/** Every answer of one address as text made beforehand; only the completion's id is filled in per call. */
export interface Answers {
  readonly reply: (id: string) => string;
  readonly toolCall: (id: string) => string;
  /** The move of a simulated user who has sent so many messages. */
  readonly userMove: (id: string, sent: number) => string;
  /** Events of a streamed reply, in order, each as one chunk of the body. The first word is the place of a stamp. */
  readonly events: (id: string) => readonly string[];
  readonly streamHead: string;
}

const place = "chatcmpl-000000000000";
const usage = { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 };

export function createAnswers({ tool, user, words, chunks }: Behaviour): Answers {
  const text = makeText(words);
  const reply = completion({ role: "assistant", content: text }, "stop");
  const call = { id: place, type: "function", function: { name: tool, arguments: '{"expression":"6*7"}' } };
  const toolCall = completion({ role: "assistant", content: null, tool_calls: [call] }, "tool_calls");
  const events = streamEvents(chunks);
  return {
    reply: (id) => reply.replaceAll(place, id),
    toolCall: (id) => toolCall.replaceAll(place, id),
    userMove(id, sent) {
      const move = { why: "next", message: `Please write number ${sent} into the log.`, done: sent >= (user ?? 0) };
      return completion({ role: "assistant", content: JSON.stringify(move) }, "stop").replaceAll(place, id);
    },
    events: (id) => events.map((event) => event.replace(place, id)),
    streamHead:
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n",
  };
}

/** A whole HTTP response with a JSON body. */
export function toResponse(status: string, body: unknown, headers = ""): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function completion(message: object, finish_reason: string): string {
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  return toResponse("200 OK", { id: place, object: "chat.completion", created: 1, model: "fake", choices, usage });
}

function streamEvents(chunks: number): string[] {
  const event = (delta: object, finish_reason: string | null, more: object = {}): string => {
    const choices = [{ index: 0, delta, finish_reason }];
    const data = { id: place, object: "chat.completion.chunk", created: 1, model: "fake", choices, ...more };
    return toChunk(`data: ${JSON.stringify(data)}\n\n`);
  };
  return [
    event({ role: "assistant", content: "" }, null),
    ...Array.from({ length: chunks }, (_, index) =>
      event({ content: `${index === 0 ? stampPlace : `word${index}`} ` }, null),
    ),
    event({}, "stop", { usage }),
    `${toChunk("data: [DONE]\n\n")}0\r\n\r\n`,
  ];
}

function toChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
