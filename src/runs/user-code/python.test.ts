import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { ChatMessage, ChatModel } from "../../contract/ports/chat-model.ts";
import type { LocalTarget } from "../../contract/schemas/acting/target.ts";
import { judgeOutcome } from "../../evaluation/outcomes/judge-outcome.ts";
import { createCheckCode } from "./check-code.ts";
import { createCodeHost } from "./code-host.ts";
import { findCommand } from "./find-command.ts";
import { createLocalTargets } from "./local-targets.ts";
import { createWorldModules } from "./world-modules.ts";

const python = findCommand("python3");
const limits = { timeoutMs: 20_000, memoryMb: 512, processes: 2 };
const host = createCodeHost({ limits });
const environment = { PATH: process.env["PATH"] ?? "", DECLARED: "yes" };
const signal = new AbortController().signal;
afterAll(() => host[Symbol.asyncDispose]());

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(folder.file(name), text)));
});
afterAll(() => folder[Symbol.asyncDispose]());

const files = {
  "agent.py": `
import asyncio, os
def reply(messages, session):
    session.state["turns"] = session.state.get("turns", 0) + 1
    if messages[-1]["content"] == "fail":
        return {}["order_idx"]
    return {"text": f"turn {session.state['turns']}, {os.environ.get('DECLARED')}", "tool_calls": [{"name": "find", "arguments": {}, "result": 1}]}
async def answer(messages):
    print("shown elsewhere")
    await asyncio.sleep(0)
    return messages[-1]["content"].upper()
`,
  "broken.py": "import nothing_here\n",
  "tools.py": `
from typing import Literal, Optional
def state():
    return {"orders": {"7": {"status": "paid"}}, "log": [1]}
def get_order(state, order_id: str) -> dict:
    "Look up an order."
    if order_id not in state["orders"]:
        raise ValueError("No such order.")
    return state["orders"][order_id]
def cancel_order(state, order_id: str, reason: Literal["late", "other"] = "other", note: Optional[str] = None):
    get_order(state, order_id)["status"] = "cancelled"
    state["log"].append({"reason": reason})
    state["a/b"] = True
    return {"ok": True}
def half(state):
    state["orders"] = {}
    return {}["gone"]
tools = [get_order, cancel_order, half]
def check(state, context):
    assert state["status"] == context["vars"]["status"], "it is not " + context["vars"]["status"]
    return True
`,
  "bot.py": `
print("Welcome!")
turn = 0
while True:
    text = input("You: ")
    turn += 1
    if text == "end":
        raise SystemExit("no more")
    print("turn", turn)
    print("heard", text)
`,
};

function targets(): (target: LocalTarget) => ChatModel {
  const retry = { maximum: 0, baseMs: 1 };
  const options = { host, limits, retry, environment, variable: () => undefined, secrets: [] };
  const made = createLocalTargets({ ...options, scrub: (text) => text });
  return (target) => made.modelOf(target, "m");
}

async function talk(target: LocalTarget, texts: readonly string[], id: string = crypto.randomUUID()) {
  const model = targets()(target);
  const messages: ChatMessage[] = [];
  const end = new AbortController();
  const replies = [];
  for (const [turns, content] of texts.entries()) {
    messages.push({ role: "user", content });
    const progress = { turns, end: end.signal, onEnd: () => {} };
    const reply = await model({ messages: [...messages] }, { signal, session: { id }, progress });
    replies.push(
      reply.ok ? { text: reply.text, calls: reply.reported_calls?.length, greeting: reply.greeting } : reply.error,
    );
  }
  end.abort();
  return replies;
}

describe.runIf(python)("Python", () => {
  test("an agent is a function of a file, which keeps what it knows of a conversation in its session", async () => {
    expect(await talk({ module: folder.file("agent.py") }, ["Hi", "Yo"])).toMatchObject([
      { text: "turn 1, yes", calls: 1 },
      { text: "turn 2, yes", calls: 1 },
    ]);
    expect(await talk({ module: `${folder.file("agent.py")}:answer` }, ["Hi"])).toMatchObject([{ text: "HI" }]);
  });

  test("an agent that fails says why and where", async () => {
    const [failed] = await talk({ module: folder.file("agent.py") }, ["fail"]);
    expect(failed).toMatchObject({
      code: "upstream_error",
      detail: "The target failed. KeyError: 'order_idx'",
      upstream_message: expect.stringMatching(/agent\.py", line 6, in reply[^]*KeyError/),
    });
    const [broken] = await talk({ module: folder.file("broken.py") }, ["Hi"]);
    expect(broken).toMatchObject({ upstream_message: expect.stringMatching(/broken\.py", line 1/) });
    const [missing] = await talk({ module: `${folder.file("agent.py")}:nothing` }, ["Hi"]);
    expect(missing).toMatchObject({ detail: expect.stringMatching(/it has no function nothing/) });
  });

  test("the tools of a world are functions, whose parameters are their annotations", async () => {
    const modules = createWorldModules({ host, limits, environment });
    const path = folder.file("tools.py");
    const { tools, state } = await modules.load(path);
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ["get_order", "Look up an order."],
      ["cancel_order", ""],
      ["half", ""],
    ]);
    expect(tools[1]?.parameters).toEqual({
      type: "object",
      properties: {
        order_id: { type: "string" },
        reason: { enum: ["late", "other"] },
        note: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      required: ["order_id"],
      additionalProperties: false,
    });
    const call = modules.functions(path, state);
    const changes = [{ op: "set", path: "/orders/8", value: { status: "paid" } }] as const;
    expect(await call({ name: "cancel_order", arguments: { order_id: "8" }, changes }, signal)).toEqual({
      result: { ok: true },
      changes: [
        { op: "set", path: "/orders/8/status", value: "cancelled" },
        { op: "set", path: "/log/1", value: { reason: "other" } },
        { op: "set", path: "/a~1b", value: true },
      ],
    });
    const unknown = call({ name: "get_order", arguments: { order_id: "8" }, changes: [] }, signal);
    await expect(unknown).rejects.toThrow(/^No such order\.$/);
    await expect(call({ name: "half", arguments: {}, changes: [] }, signal)).rejects.toThrow("KeyError: 'gone'");
    await expect(modules.load(folder.file("broken.py"))).rejects.toThrow(/No module named[^]*broken\.py", line 1/);
  });

  test("code decides about the final state, and leaves it undecided when it has an error itself", async () => {
    const { run } = createCheckCode({ host, limits, environment, python: "python3" });
    const outcome = async (vars: Record<string, string>, state: unknown) => {
      const code = [{ language: "python" as const, file: folder.file("tools.py"), vars }];
      const judged = await judgeOutcome({
        expect: { code },
        replies: [],
        turns: [],
        judge: null,
        state,
        runCode: run,
        signal,
      });
      const { value = null, parts = [] } = judged.outcome ?? {};
      return [value, parts.at(-1)?.reason];
    };
    expect(await outcome({ status: "paid" }, { status: "paid" })).toEqual([1, "the code passes (1)"]);
    expect(await outcome({ status: "sent" }, { status: "paid" })).toEqual([
      0,
      "the code threw: AssertionError: it is not sent",
    ]);
    expect(await outcome({ status: "sent" }, {})).toEqual([null, "the code threw: KeyError: 'status'"]);
    expect((await outcome({ status: "sent" }, undefined))[0]).toBeNull();
  });

  test("a program that reads lines and prints is an agent, one process for each conversation", async () => {
    const target: LocalTarget = { command: `'${python}' bot.py`, folder: folder.path, mode: "lines", prompt: "You: " };
    const both = await Promise.all([talk(target, ["Hi\nthere", "Yo"]), talk(target, ["Hello"])]);
    expect(both[0]).toMatchObject([
      { text: "turn 1\nheard Hi there", greeting: "Welcome!" },
      { text: "turn 2\nheard Yo", greeting: undefined },
    ]);
    expect(both[1]).toMatchObject([{ text: "turn 1\nheard Hello" }]);
    const [ended] = await talk(target, ["end"]);
    expect(ended).toMatchObject({
      detail: "The target failed. the program gave no reply: its process ended with exit code 1",
      upstream_message: "no more",
    });
  });
});
