import { expect, test } from "vitest";
import { startFakeProvider } from "../../../../test/support/fake-provider.ts";
import type { Behaviour } from "../../../../test/support/fake-provider/behaviour.ts";
import { json } from "../../../../test/support/fake-provider/replies.ts";
import { rawStream } from "../../../../test/support/fake-provider/streams.ts";
import { createChatModel } from "../../protocols/create-chat-model.ts";
import { createOutbound } from "../../outbound/create-outbound.ts";

type Event = Record<string, unknown> & { type: string };

function events(...list: readonly Event[]): Behaviour {
  const lines = list.map((event, index) => {
    const data = JSON.stringify({ ...event, sequence_number: index });
    return `event: ${event.type}\ndata: ${data}\n\n`;
  });
  return rawStream(lines.join(""));
}

async function ask(behaviour: Behaviour) {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({
    protocol: "openai-responses",
    outbound,
    endpoint: provider.url,
    modelId: "gpt-5-mini",
  });
  const pieces: string[] = [];
  const reply = await model(
    { messages: [{ role: "user", content: "Hello" }] },
    { signal: new AbortController().signal, onText: (piece) => pieces.push(piece) },
  );
  return { reply, pieces, sent: provider.requests };
}

const usage = { input_tokens: 9, output_tokens: 3, total_tokens: 12 };
const started: Event = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };
const delta = (text: string): Event => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 1,
  delta: text,
});
const message = (text: string) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const completed = (output: readonly unknown[], fields: Record<string, unknown> = {}): Event => ({
  type: "response.completed",
  response: { id: "resp_1", status: "completed", model: "gpt-5-mini", output, usage, ...fields },
});

test("streams text, and reasoning separately", async () => {
  const { reply, pieces, sent } = await ask(
    events(
      started,
      { type: "response.in_progress", response: { id: "resp_1", status: "in_progress" } },
      { type: "response.output_item.added", output_index: 0, item: { id: "rs_1", type: "reasoning", summary: [] } },
      { type: "response.reasoning_summary_text.delta", item_id: "rs_1", delta: "Thinking" },
      { type: "response.output_item.added", output_index: 1, item: { id: "msg_1", type: "message", content: [] } },
      { type: "response.content_part.added", part: { type: "output_text", text: "" } },
      delta("Good "),
      delta("day."),
      { type: "response.output_text.done", text: "Good day." },
      { type: "response.output_item.done", output_index: 1, item: message("Good day.") },
      completed([{ type: "reasoning", summary: [] }, message("Good day.")]),
    ),
  );
  expect(pieces).toEqual(["Good ", "day."]);
  expect(reply).toMatchObject({
    ok: true,
    text: "Good day.",
    finish_reason: "stop",
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    completion_id: "resp_1",
    first_token_ms: expect.any(Number),
  });
  expect(sent[0]?.body).toMatchObject({ stream: true });
});

test("returns tool calls and refusals at the end", async () => {
  const call = { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' };
  const { reply, pieces } = await ask(
    events(
      started,
      { type: "response.function_call_arguments.delta", delta: '{"city"' },
      { type: "response.function_call_arguments.delta", delta: ':"Rome"}' },
      completed([call]),
    ),
  );
  expect(pieces).toEqual([]);
  expect(reply).toMatchObject({
    ok: true,
    finish_reason: "tool_calls",
    tool_calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Rome"}' }],
    first_token_ms: expect.any(Number),
  });
  const content = [{ type: "refusal", refusal: "No." }];
  const refused = events(
    started,
    { type: "response.refusal.delta", delta: "No." },
    completed([{ ...message(""), content }]),
  );
  expect((await ask(refused)).reply).toMatchObject({ ok: true, text: "", refusal: "No." });
});

test("keeps the text of an incomplete response with its reason", async () => {
  const { reply } = await ask(
    events(started, delta("Half"), {
      type: "response.incomplete",
      response: {
        id: "resp_1",
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [message("Half")],
      },
    }),
  );
  expect(reply).toMatchObject({ ok: true, text: "Half", finish_reason: "length" });
});

test("completes a last event without output from earlier events", async () => {
  const item: Event = { type: "response.output_item.done", item: message("From the item") };
  expect((await ask(events(item, completed([])))).reply).toMatchObject({ ok: true, text: "From the item" });
  const pieces = await ask(events(delta("From "), delta("pieces"), completed([])));
  expect(pieces.reply).toMatchObject({ ok: true, text: "From pieces" });
});

test("separates the messages of one response", async () => {
  const later: Event = { ...delta("Sunny."), output_index: 3 };
  const output = [message("Let me look."), { type: "web_search_call", id: "ws_1" }, message("Sunny.")];
  const { reply, pieces } = await ask(events(started, delta("Let me "), delta("look."), later, completed(output)));
  expect(reply).toMatchObject({ ok: true, text: "Let me look.\n\nSunny." });
  expect(pieces).toEqual(["Let me ", "look.", "\n\nSunny."]);
  expect((await ask(events(delta("Let me look."), later, completed([])))).reply).toMatchObject({
    text: "Let me look.\n\nSunny.",
  });
});

test("passes on text that only the last event has", async () => {
  expect((await ask(events(started, completed([message("All at once")])))).pieces).toEqual(["All at once"]);
  const whole = json({ id: "resp_1", status: "completed", output: [message("Not streamed")] });
  expect((await ask(whole)).pieces).toEqual(["Not streamed"]);
});

const failed: Event = {
  type: "response.failed",
  response: { id: "resp_1", status: "failed", error: { code: "server_error", message: "secret text" }, output: [] },
};

test.each<[string, Behaviour, string]>([
  ["that fails", events(started, delta("Half"), failed), "upstream_error"],
  [
    "with an error event",
    events(started, { type: "error", code: "rate_limit_exceeded", message: "secret text", param: null }),
    "upstream_rate_limited",
  ],
  ["with a nameless error", rawStream('data: {"error":{"message":"secret text","code":503}}\n\n'), "upstream_error"],
  ["that ends too early", events(started, delta("Half")), "upstream_invalid_reply"],
  ["that says it is done too early", rawStream("data: [DONE]\n\n"), "upstream_invalid_reply"],
  ["with an event that is not JSON", rawStream("event: response.created\ndata: hello\n\n"), "upstream_invalid_reply"],
])("fails for a stream %s", async (_, behaviour, code) => {
  const { reply } = await ask(behaviour);
  expect(reply).toMatchObject({ ok: false, error: { code } });
  expect(JSON.stringify(reply)).not.toContain("secret text");
});
