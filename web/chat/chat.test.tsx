import { expect, test } from "vitest";
import { makeReply } from "../../test/page/support/fake-agent.ts";
import { renderHtml, textOf } from "../../test/page/support/render.ts";
import type { AnswerEvent } from "../api/agent.ts";
import { streamAnswer } from "./chat-session.ts";
import type { Answer } from "./conversation.ts";
import { ToolUseList } from "./tool-calls.tsx";

const call = { id: "c1", name: "send_mail", args: { to: "ada" } };
const text = (part: string): AnswerEvent => ({ type: "text", call: 1, text: part });
const end = (reply: ReturnType<typeof makeReply>): AnswerEvent => ({
  type: "reply",
  reply,
  cost: null,
  total: null,
  runId: "run-1",
});
const waiting: Answer = { model: "m", state: "waiting", text: "", tools: [] };

/** The last state of an answer that these events make. */
async function answerOf(events: readonly AnswerEvent[], start: Omit<Parameters<typeof streamAnswer>[1], "onAnswer">) {
  let last = start.begun;
  async function* stream() {
    yield* events;
  }
  await streamAnswer(stream(), { ...start, onAnswer: (answer) => (last = answer) });
  return last;
}

test("text between tool calls keeps its place when the turn ends", async () => {
  const answer = await answerOf(
    [
      text("I look up your booking first."),
      { type: "tool-start", tool: { id: "a", name: "get_booking", args: {} } },
      { type: "tool-end", tool: { id: "a", name: "get_booking", args: {}, ok: true, result: "{}", duration_ms: 1 } },
      text("Found it, now the refund."),
      { type: "tool-start", tool: { id: "b", name: "refund", args: {} } },
      { type: "tool-end", tool: { id: "b", name: "refund", args: {}, ok: true, result: "{}", duration_ms: 1 } },
      text("Done."),
      end(makeReply("Done.")),
    ],
    { begun: waiting },
  );
  expect(answer.state).toBe("done");
  const shown = textOf(renderHtml(<ToolUseList tools={answer.tools} live={false} />));
  expect(shown).toMatch(/I look up your booking first\. .*get_booking.* Found it, now the refund\. .*refund/);
});

test("after an approval the time goes on, and the call says who approved it, changed it or denied it", async () => {
  const begun: Answer = {
    model: "m",
    state: "done",
    text: "I send it.",
    tools: [],
    reply: makeReply("I send it.", { tool_calls: [{ ...call, type: "tool_call" }] }),
    milliseconds: 5_000,
    cost: null,
    total: null,
    runId: "run-1",
  };
  const result = { type: "tool-end", tool: { ...call, ok: true, result: "queued", duration_ms: 1 } } as const;
  const approved = await answerOf([result, end(makeReply("Sent."))], { begun, decisions: { c1: "approve" } });
  expect(approved.state === "done" && approved.milliseconds).toBeGreaterThanOrEqual(5_000);
  expect(approved.tools).toMatchObject([{ before: "I send it.", decision: "approved", result: "queued" }]);
  const shown = (answer: Answer) => textOf(renderHtml(<ToolUseList tools={answer.tools} live={false} />));
  expect(shown(approved)).toMatch(/I send it\. 1 tool call : send_mail · approved by you/);

  const denied = await answerOf([end(makeReply("Then not."))], { begun, decisions: { c1: "deny" } });
  expect(shown(denied)).toContain("denied by you");
  const changed = await answerOf([end(makeReply("Sent."))], { begun, decisions: { c1: { args: { to: "bob" } } } });
  expect(shown(changed)).toMatch(/approved by you with changes .* "to": "bob"|approved by you with changes .*bob/);
});
