import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { AgentClient, AgentMessages } from "../../../client/agent-client.ts";
import { ServiceFailure, ServiceUnreachable } from "../../../client/caller.ts";
import type { AgentReply } from "../../../contract/schemas/agent/agent-message.ts";
import { converse } from "./chat.ts";

/** An agent that echoes messages, fails on "fail" and is unreachable on "gone". */
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

/** Types the next line at each prompt, and Ctrl-D after the last. */
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
  const notes: string[] = [];
  const messages: AgentMessages = [];
  const { client, heard } = echoing();
  await converse({ client, modelId: "demo/echo", messages, input, output, onNote: (text) => notes.push(text) });
  return { shown, notes, messages, heard };
}

test("keeps the conversation and shows replies as plain text until the user leaves", async () => {
  const { shown, messages, heard, notes } = await talk(["Hello", "", "Again"]);
  expect(shown).toBe("> You said Hello\n> > You said Again\n> ");
  expect(heard).toEqual([1, 3]);
  expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
  expect(notes).toEqual([expect.stringContaining("demo/echo")]);
});

test("reports a failed turn and removes it", async () => {
  const { notes, messages } = await talk(["fail", "Hello"]);
  expect(notes).toContainEqual(expect.stringContaining("502"));
  expect(messages.map(({ content }) => content)).toEqual(["Hello", expect.stringContaining("You said Hello")]);
});

test("reports an unreachable agent and keeps the conversation", async () => {
  const { notes, messages } = await talk(["Hello", "gone", "Again"]);
  expect(notes).toContainEqual("Nothing answers at http://agent");
  expect(messages).toHaveLength(4);
});

test("answers lines typed while the agent works in order", async () => {
  const input = new PassThrough();
  const { client, heard } = echoing();
  const messages: AgentMessages = [];
  input.end("One\nTwo\nThree\n");
  await converse({ client, modelId: "demo/echo", messages, input, output: new PassThrough(), onNote: () => {} });
  expect(heard).toEqual([1, 3, 5]);
});

test("shows a refusal as the reply, and a call that waits for approval with the request that decides on it", async () => {
  const { shown, notes, messages } = await talk(["no", "mail"]);
  expect(shown).toBe("> I can't.\n> > ");
  expect(messages.map(({ content }) => content)).toEqual(["no", "I can't.", "mail", ""]);
  expect(notes.at(-1)).toBe(
    String.raw`The agent waits for approval of c1: send_mail {"to":"a\u202e\u009b2J"}. POST /agent/runs/7/resume with your decision resumes it.`,
  );
});

test("/reset starts over and /quit ends", async () => {
  const { heard, shown } = await talk(["One", "/reset", "Two", "/quit", "never"]);
  expect(heard).toEqual([1, 1]);
  expect(shown).not.toContain("never");
});

test("does not send slash commands to the model", async () => {
  const { heard, notes } = await talk(["/help", "/hepl", " /quit "]);
  expect(heard).toEqual([]);
  expect(notes).toEqual([
    expect.stringContaining("/reset starts over"),
    expect.stringContaining("/reset starts over"),
    expect.stringContaining("Unknown command /hepl."),
  ]);
});

test("sends a path or a question that begins with a slash", async () => {
  const { heard } = await talk(["/etc/hosts holds what?", "/quit"]);
  expect(heard).toEqual([1]);
});
