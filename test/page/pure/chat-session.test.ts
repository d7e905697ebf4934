import { expect, test } from "vitest";
import type { AnswerEvent } from "../../../web/api/agent.ts";
import { createChatSession } from "../../../web/chat/chat-session.ts";
import type { ChatConversation } from "../../../web/chat/conversation.ts";
import { makeReply } from "../support/fake-agent.ts";

const call = (id: string) => ({ name: "send_mail", args: { to: "a" }, id, type: "tool_call" as const });
const replyEvent = (reply: ReturnType<typeof makeReply>): AnswerEvent => ({
  type: "reply",
  reply,
  cost: null,
  total: null,
  runId: "run-1",
});

/** Never answers; tells when it is stopped. */
async function* silent(signal: AbortSignal, stopped: () => void): AsyncGenerator<AnswerEvent> {
  await new Promise<void>((_, reject) => {
    signal.addEventListener("abort", () => {
      stopped();
      reject(new Error("aborted"));
    });
  });
  yield* [];
}

async function* once(event: AnswerEvent): AsyncGenerator<AnswerEvent> {
  yield event;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const first: ChatConversation = [];
const save = () => undefined;

test("stops all running answers", async () => {
  const stopped: string[] = [];
  const session = createChatSession({
    first,
    save,
    ask: ({ model, signal }) =>
      model === "asks"
        ? once(replyEvent(makeReply("", { tool_calls: [call("c")] })))
        : silent(signal, () => stopped.push("stream")),
    resume: (_runId, { signal }) => silent(signal, () => stopped.push("resumed")),
  });
  session.send("Hi", { models: ["asks", "slow"] });
  await settle();
  session.decide({ exchangeId: session.conversation()[0]?.id ?? "", column: 0 }, { c: "approve" });
  session.stop();
  expect(stopped.toSorted()).toEqual(["resumed", "stream"]);
  expect(session.conversation()[0]?.answers.map(({ state }) => state)).toEqual(["stopped", "stopped"]);
});

test("continues an answer without subscribers", async () => {
  const session = createChatSession({
    first,
    save,
    ask: () => once(replyEvent(makeReply("Hello"))),
    resume: () => once(replyEvent(makeReply(""))),
  });
  const leave = session.subscribe(() => undefined);
  session.send("Hi", { models: ["m"] });
  leave();
  await settle();
  expect(session.conversation()[0]?.answers[0]).toMatchObject({ state: "done", reply: { content: "Hello" } });
});

test("retries one answer without changing the others", async () => {
  const questions: { model: string; messages: string[] }[] = [];
  const session = createChatSession({
    first,
    save,
    ask: ({ model, messages, signal }) => {
      questions.push({ model, messages: messages.map(({ content }) => content) });
      if (model === "slow") return silent(signal, () => undefined);
      return once(replyEvent(makeReply(`${model} heard it`)));
    },
    resume: () => once(replyEvent(makeReply(""))),
  });
  session.send("One", { models: ["good"] });
  await settle();
  session.send("Two", { models: ["good", "slow"] });
  await settle();
  session.stop();
  session.send("Three", { models: ["good", "slow"] });
  await settle();
  const [, second] = session.conversation();
  session.retry({ exchangeId: second?.id ?? "", column: 1 }, "better");
  await settle();
  expect(questions.at(-1)).toEqual({ model: "better", messages: ["One", "good heard it", "Two"] });
  expect(session.conversation().map(({ answers }) => answers.map(({ model, state }) => [model, state]))).toEqual([
    [["good", "done"]],
    [
      ["good", "done"],
      ["better", "done"],
    ],
    [
      ["good", "done"],
      ["slow", "waiting"],
    ],
  ]);
  session.stop();
});
