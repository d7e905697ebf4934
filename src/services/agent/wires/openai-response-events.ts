import type { ServiceError } from "../../../contract/service-error.ts";
import type { ResponseBody, ResponseOutputItem } from "../../../contract/openai-responses.ts";
import { EventWriter } from "../../http/event-writer.ts";
import { toOpenAiError } from "../../http/openai-error.ts";
import type { Turn } from "../turns/turn.ts";
import { toTurnError } from "../turns/turn-headers.ts";
import { asksForJson } from "../../../agent/asks-for-json.ts";
import { messageId, openResponse, outputText, toResponse, type ResponseHead } from "./openai-response.ts";
import { createSpokenText } from "./spoken-text.ts";

/** A turn as the events of a streamed response. All its text is one message; the calls handed to the client follow as items of their own. */
export function toResponseEvents(
  turn: Turn,
  { onCrash, ...head }: ResponseHead & { onCrash: (error: unknown) => ServiceError },
): EventWriter {
  const stream = new EventWriter();
  let sequence_number = 0;
  const send = (type: string, fields: object) => {
    stream.send({ type, sequence_number, ...fields }, type);
    sequence_number += 1;
  };
  const message = createMessageEvents(turn, send);
  const spoken = createSpokenText({ json: asksForJson(head.request.text?.format) });

  send("response.created", { response: openResponse(turn, head) });
  send("response.in_progress", { response: openResponse(turn, head) });
  turn.listen((event) => {
    if (event.type === "text-delta") message.add(spoken.add(event));
  });
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      message.add(spoken.finish(outcome.reply.text));
      const streamed = message.text();
      const response = toResponse(turn, outcome, { ...head, ...(streamed !== "" && { text: streamed }) });
      for (const [index, item] of response.output.entries()) {
        if (item.type === "message") message.finish(item);
        else sendCall(send, item, index);
      }
      send(response.status === "incomplete" ? "response.incomplete" : "response.completed", { response });
    })
    .catch((thrown: unknown) => sendFailure(send, onCrash(thrown), openResponse(turn, head)))
    .finally(() => stream.end());
  return stream;
}

type Send = (type: string, fields: object) => void;

type Message = Extract<ResponseOutputItem, { type: "message" }>;
type OutputPart<Type> = Extract<Message["content"][number], { type: Type }>;

interface MessageEvents {
  add(text: string): void;
  text(): string;
  finish(item: Message): void;
}

function createMessageEvents(turn: Turn, send: Send): MessageEvents {
  const item_id = messageId(turn);
  const place = (content_index: number) => ({ item_id, output_index: 0, content_index });
  let text = "";

  function openMessage(): void {
    const item = { type: "message", id: item_id, role: "assistant", status: "in_progress", content: [] };
    send("response.output_item.added", { output_index: 0, item });
  }

  function openText(index: number): void {
    send("response.content_part.added", { ...place(index), part: outputText("") });
  }

  function sendText(delta: string): void {
    send("response.output_text.delta", { ...place(0), delta, logprobs: [] });
  }

  function finishText(part: OutputPart<"output_text">, index: number): void {
    if (text === "") {
      openText(index);
      if (part.text !== "") sendText(part.text);
    }
    send("response.output_text.done", { ...place(index), text: part.text, logprobs: [] });
  }

  function sendRefusal(part: OutputPart<"refusal">, index: number): void {
    const { refusal } = part;
    send("response.content_part.added", { ...place(index), part: { ...part, refusal: "" } });
    send("response.refusal.delta", { ...place(index), delta: refusal });
    send("response.refusal.done", { ...place(index), refusal });
  }

  return {
    add(delta) {
      if (delta === "") return;
      if (text === "") {
        openMessage();
        openText(0);
      }
      text += delta;
      sendText(delta);
    },
    text: () => text,
    finish(item) {
      if (text === "") openMessage();
      for (const [index, part] of item.content.entries()) {
        if (part.type === "refusal") sendRefusal(part, index);
        else finishText(part, index);
        send("response.content_part.done", { ...place(index), part });
      }
      send("response.output_item.done", { output_index: 0, item });
    },
  };
}

function sendCall(
  send: Send,
  item: Extract<ResponseOutputItem, { type: "function_call" }>,
  output_index: number,
): void {
  const place = { item_id: item.id, output_index };
  send("response.output_item.added", { output_index, item: { ...item, arguments: "", status: "in_progress" } });
  send("response.function_call_arguments.delta", { ...place, delta: item.arguments });
  send("response.function_call_arguments.done", { ...place, name: item.name, arguments: item.arguments });
  send("response.output_item.done", { output_index, item });
}

/**
 * Told twice, as OpenAI does: its clients throw at `error`, and pass `response.failed` by like any other event. The fields of the
 * first are where OpenAI documents them, and once more where it sends them.
 */
function sendFailure(send: Send, failure: ServiceError, open: ResponseBody): void {
  const { code, message } = failure;
  const { error } = toOpenAiError(failure);
  send("error", { code, message, param: error.param, error });
  send("response.failed", { response: { ...open, status: "failed", error: { code, message } } });
}
