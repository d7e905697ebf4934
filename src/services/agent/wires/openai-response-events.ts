import { compact } from "../../../base/compact.ts";
import { asksForJson } from "../../../agent/prompted/tool-support.ts";
import type { ServiceError } from "../../../contract/errors/errors.ts";
import type { ResponseBody, ResponseOutputItem } from "../../../contract/schemas/wires/openai-responses.ts";
import { EventWriter } from "../../http/responses/event-writer.ts";
import { toOpenAiError } from "../../http/responses/error-response.ts";
import { toTurnError } from "../turns/turn-answer.ts";
import type { Turn } from "../turns/turn.ts";
import {
  messageId,
  openResponse,
  outputText,
  reasoningItem,
  toResponse,
  type ResponseHead,
} from "./openai-responses.ts";
import { pendingMetadata, encodeMetadata } from "./opaque-metadata.ts";
import { createStepText } from "./step-text.ts";

/**
 * A turn as the events of a streamed response. All text is one message, reasoning before and between steps is in items of its own,
 * and the calls handed to the client follow.
 */
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
  const output = createOutput(send);
  const reasoning = createReasoningEvents(turn, { send, output });
  const message = createMessageEvents(turn, { send, output });
  const stepText = createStepText({ json: asksForJson(head.request.text?.format) });

  send("response.created", { response: openResponse(turn, head) });
  send("response.in_progress", { response: openResponse(turn, head) });
  turn.listen((event) => {
    if (event.type === "reasoning-delta") reasoning.add(event.text);
    else if (event.type !== "text-delta") return;
    else {
      reasoning.finish();
      message.add(stepText.add(event));
    }
  });
  void turn.outcome
    .then((outcome) => {
      if (!outcome.ok) throw toTurnError(turn, outcome.error);
      reasoning.finish();
      reasoning.addMetadata(encodeMetadata(pendingMetadata(outcome)));
      message.add(stepText.finish(outcome.reply.text));
      const streamed = message.text();
      const response = toResponse(turn, outcome, compact({ ...head, text: streamed !== "" ? streamed : undefined }));
      for (const item of response.output) {
        if (item.type === "message") message.finish(item);
        else if (item.type === "function_call") sendCall(item, { send, output });
      }
      const whole = { ...response, output: output.items() };
      send(response.status === "incomplete" ? "response.incomplete" : "response.completed", { response: whole });
    })
    .catch((thrown: unknown) => sendFailure(send, onCrash(thrown), openResponse(turn, head)))
    .finally(() => stream.end());
  return stream;
}

type SendResponseEvent = (type: string, fields: object) => void;

/** The items of a response, in the order they began. */
interface Output {
  /** Returns the index of the item. */
  begin(item: object): number;
  end(index: number, item: ResponseOutputItem): void;
  items(): ResponseOutputItem[];
}

interface EventSink {
  readonly send: SendResponseEvent;
  readonly output: Output;
}

function createOutput(send: SendResponseEvent): Output {
  const ended = new Map<number, ResponseOutputItem>();
  let count = 0;
  return {
    begin(item) {
      const output_index = count;
      count += 1;
      send("response.output_item.added", { output_index, item });
      return output_index;
    },
    end(output_index, item) {
      ended.set(output_index, item);
      send("response.output_item.done", { output_index, item });
    },
    items: () => [...ended].toSorted(([first], [second]) => first - second).map(([, item]) => item),
  };
}

interface ReasoningEvents {
  add(text: string): void;
  /** Ends the item; later reasoning begins a new one. */
  finish(): void;
  /** Adds an item with metadata that the client sends back. It is known only at the end. */
  addMetadata(encoded: string | null): void;
}

function createReasoningEvents(turn: Turn, { send, output }: EventSink): ReasoningEvents {
  let count = 0;
  let open: { readonly output_index: number; readonly item_id: string; text: string } | null = null;

  function begin() {
    count += 1;
    const item = reasoningItem(turn, "", { count });
    const output_index = output.begin({ ...item, summary: [], status: "in_progress" });
    const part = { type: "summary_text", text: "" };
    send("response.reasoning_summary_part.added", { item_id: item.id, output_index, summary_index: 0, part });
    return { output_index, item_id: item.id, text: "" };
  }

  return {
    addMetadata(encoded) {
      if (encoded === null) return;
      count += 1;
      const item = reasoningItem(turn, "", { count, encoded });
      output.end(output.begin({ ...item, status: "in_progress" }), item);
    },
    add(delta) {
      open ??= begin();
      const { item_id, output_index } = open;
      open.text += delta;
      send("response.reasoning_summary_text.delta", { item_id, output_index, summary_index: 0, delta });
    },
    finish() {
      if (open === null) return;
      const { item_id, output_index, text } = open;
      const place = { item_id, output_index, summary_index: 0 };
      open = null;
      send("response.reasoning_summary_text.done", { ...place, text });
      send("response.reasoning_summary_part.done", { ...place, part: { type: "summary_text", text } });
      output.end(output_index, reasoningItem(turn, text, { count }));
    },
  };
}

type ResponseMessage = Extract<ResponseOutputItem, { type: "message" }>;
type OutputPart<Type> = Extract<ResponseMessage["content"][number], { type: Type }>;

interface MessageEvents {
  add(text: string): void;
  text(): string;
  finish(item: ResponseMessage): void;
}

function createMessageEvents(turn: Turn, { send, output }: EventSink): MessageEvents {
  const item_id = messageId(turn);
  let output_index = 0;
  const place = (content_index: number) => ({ item_id, output_index, content_index });
  let text = "";

  function openMessage(): void {
    output_index = output.begin({
      type: "message",
      id: item_id,
      role: "assistant",
      status: "in_progress",
      content: [],
    });
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
      output.end(output_index, item);
    },
  };
}

function sendCall(item: Extract<ResponseOutputItem, { type: "function_call" }>, { send, output }: EventSink): void {
  const output_index = output.begin({ ...item, arguments: "", status: "in_progress" });
  const place = { item_id: item.id, output_index };
  send("response.function_call_arguments.delta", { ...place, delta: item.arguments });
  send("response.function_call_arguments.done", { ...place, name: item.name, arguments: item.arguments });
  output.end(output_index, item);
}

/**
 * Sends both events that OpenAI sends: its clients throw on `error`, and pass `response.failed` on like any other event. The fields
 * of `error` are present twice: where OpenAI documents them, and where it sends them.
 */
function sendFailure(send: SendResponseEvent, failure: ServiceError, open: ResponseBody): void {
  const { code, message } = failure;
  const { error } = toOpenAiError(failure);
  send("error", { code, message, param: error.param, error });
  send("response.failed", { response: { ...open, status: "failed", error: { code, message } } });
}
