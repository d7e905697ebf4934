import { expect, test } from "vitest";
import { startFakeProvider } from "../../../../test/support/fake-provider.ts";
import { status } from "../../../../test/support/fake-provider/error-statuses.ts";
import { json } from "../../../../test/support/fake-provider/replies.ts";
import { isRecord } from "../../../base/json.ts";
import type { ChatRequest } from "../../../contract/ports/chat-model.ts";
import { createChatModel } from "../../protocols/create-chat-model.ts";
import { createOutbound } from "../../outbound/create-outbound.ts";

const verdict: ChatRequest = {
  messages: [{ role: "user", content: "Is it right?" }],
  format: { name: "verdict", schema: { type: "object", properties: { right: { type: "boolean" } } } },
};
const called = json({
  type: "message",
  content: [{ type: "tool_use", id: "toolu_1", name: "verdict", input: { right: true } }],
  stop_reason: "tool_use",
});

test.each([
  'tool_choice: type "tool" and "any" are not supported for this model.',
  "tool_choice forces tool use is not compatible with this model",
  "Thinking may not be enabled when tool_choice forces tool use.",
])("stops forcing the format tool once it is refused: %s", async (refusal) => {
  await using provider = await startFakeProvider({
    behaviour(call) {
      const choice = call.request.body?.["tool_choice"];
      const isForced = isRecord(choice) && choice["type"] !== "auto";
      return (isForced ? status(400, { type: "invalid_request_error", message: refusal }) : called)(call);
    },
  });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const model = createChatModel({
    protocol: "anthropic-messages",
    outbound,
    endpoint: provider.url,
    modelId: "claude-fable-5-1",
  });
  for (let count = 0; count < 2; count += 1) {
    const reply = await model(verdict, { signal: new AbortController().signal });
    expect(reply).toMatchObject({ ok: true, text: '{"right":true}', tool_calls: [], finish_reason: "stop" });
  }
  expect(provider.requests.map(({ body }) => body?.["tool_choice"])).toMatchObject([
    { type: "tool", name: "verdict" },
    { type: "auto" },
    { type: "auto" },
  ]);
});
