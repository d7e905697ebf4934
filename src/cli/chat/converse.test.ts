import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { AgentClient, AgentMessages } from "../../client/create-agent-client.ts";
import { ServiceFailure, ServiceUnreachable } from "../../client/service-failure.ts";
import type { AgentReply } from "../../contract/schemas/agent-message.ts";
import { converse } from "./converse.ts";

/** An agent that repeats what it heard, fails when it hears "fail" and is gone when it hears "gone". */
function echoing(): { client: Pick<AgentClient, "send">; heard: number[] } {
  const heard: number[] = [];
  const client = {
    async send(messages: AgentMessages) {
      heard.push(messages.length);
      const content = messages.at(-1)?.content ?? "";
      if (content === "fail") throw new ServiceFailure(502, null);
      if (content === "gone") throw new ServiceUnreachable("http://agent");
      const reply = { id: "run--7", additional_kwargs: { refusal: null }, tool_calls: [] } as unknown as AgentReply;
      if (content === "mail") {
        const call = { id: "c1", name: "send_mail", args: { to: "a\u202E\u009B2J" }, type: "tool_call" as const };
        return { ...reply, content: "", tool_calls: [call] };
      }
      if (content === "no") return { ...reply, content: "", additional_kwargs: { refusal: "I can't." } };
      return { ...reply, content: `You said ${content}\u001B[2J` };
    },
  };
  return { client, heard };
}

/** Types the next line whenever the prompt shows, and leaves (Ctrl-D) after the last. */
async function talk(lines: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...lines];
  let shown = "";
  output.on("data", (data) => {
    shown += String(data);
    if (!shown.endsWith("> ")) return;
    const next = left.shift();
    if (next === undefined) input.end();
    else input.write(`${next}\n`);
  });
  const told: string[] = [];
  const messages: AgentMessages = [];
  const { client, heard } = echoing();
  await converse({ client, modelId: "demo/echo", messages, input, output, tell: (text) => told.push(text) });
  return { shown, told, messages, heard };
}

test("talks until the person leaves, remembering what was said and showing replies as plain text", async () => {
  const { shown, messages, heard, told } = await talk(["Hello", "", "Again"]);
  expect(shown).toBe("> You said Hello\n> > You said Again\n> ");
  expect(heard).toEqual([1, 3]);
  expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
  expect(told).toEqual([expect.stringContaining("demo/echo")]);
});

test("a turn that fails is told and forgotten", async () => {
  const { told, messages } = await talk(["fail", "Hello"]);
  expect(told).toContainEqual(expect.stringContaining("502"));
  expect(messages.map(({ content }) => content)).toEqual(["Hello", expect.stringContaining("You said Hello")]);
});

test("an agent that went away is told, and what was said so far is kept", async () => {
  const { told, messages } = await talk(["Hello", "gone", "Again"]);
  expect(told).toContainEqual("Nothing answers at http://agent");
  expect(messages).toHaveLength(4);
});

test("lines that come while the agent thinks are answered in turn", async () => {
  const input = new PassThrough();
  const { client, heard } = echoing();
  const messages: AgentMessages = [];
  input.end("One\nTwo\nThree\n");
  await converse({ client, modelId: "demo/echo", messages, input, output: new PassThrough(), tell: () => {} });
  expect(heard).toEqual([1, 3, 5]);
});

test("a refusal is what was said, and a call that waits for approval is told with where to decide", async () => {
  const { shown, told, messages } = await talk(["no", "mail"]);
  expect(shown).toBe("> I can't.\n> > ");
  expect(messages.map(({ content }) => content)).toEqual(["no", "I can't.", "mail", ""]);
  expect(told.at(-1)).toBe(
    String.raw`The agent waits for approval of c1: send_mail {"to":"a\u202e\u009b2J"}. POST /agent/runs/7/resume takes the decision.`,
  );
});

test("/reset starts over and /quit ends", async () => {
  const { heard, shown } = await talk(["One", "/reset", "Two", "/quit", "never"]);
  expect(heard).toEqual([1, 1]);
  expect(shown).not.toContain("never");
});

test("what begins with a slash is for us and never sent to the model", async () => {
  const { heard, told } = await talk(["/help", "/hepl", " /quit "]);
  expect(heard).toEqual([]);
  expect(told).toEqual([
    expect.stringContaining("/reset starts over"),
    expect.stringContaining("/reset starts over"),
    expect.stringContaining("There is no /hepl."),
  ]);
});

test("a path or a question that begins with a slash is sent", async () => {
  const { heard } = await talk(["/etc/hosts holds what?", "/quit"]);
  expect(heard).toEqual([1]);
});
