import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ChatMessage, ChatModel } from "../../contract/ports/chat-model.ts";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { evaluateOutcome } from "../../evaluation/outcomes/outcome.ts";
import { createDemo, demoStudioIds } from "./demo-models.ts";

const { signal } = new AbortController();
const folder = new URL("../../../examples/agent/", import.meta.url);
const config = parse(await readFile(new URL("rehearsal.yaml", folder), "utf8")) as { world: unknown };
const { tools } = World.parse(config.world);
const scenarios = await Promise.all(
  (await readdir(new URL("scenarios/", folder))).map(async (name) =>
    ScenarioInput.parse(parse(await readFile(new URL(`scenarios/${name}`, folder), "utf8"))),
  ),
);

const results: Readonly<Record<string, string>> = {
  '{"order_id":"1042"}': '{"item":"desk lamp","status":"paid","total":25}',
  '{"order_id":"1043"}': '{"item":"kettle","status":"shipped","total":80}',
  '{"order_id":"1044"}': '{"item":"vase","status":"delivered","total":40}',
};

/** The tool calls and the reply to one message, with the tools of the example. */
async function converse(model: ChatModel, said: string) {
  const messages: ChatMessage[] = [{ role: "user", content: said }];
  const calls: string[] = [];
  for (let step = 0; step < 5; step++) {
    const reply = await model({ messages, tools, tool_choice: "auto" }, { signal });
    if (!reply.ok) throw new Error(reply.error.detail);
    if (reply.tool_calls.length === 0) return { calls, text: reply.text };
    messages.push({ role: "assistant", content: "", tool_calls: reply.tool_calls });
    for (const { id, name, arguments: given } of reply.tool_calls) {
      calls.push(`${name} ${given}`);
      const content = name === "get_order" ? (results[given] ?? "Error: There is no such order.") : '{"ok":true}';
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
  throw new Error("the model did not come to an end");
}

const demo = createDemo({ seed: 1 });
const careful = demo.hub["demo/scripted"]!;
const careless = Object.values(demo.studio).find(({ id }) => id === demoStudioIds["demo-support-v1"])!.model;

test.each([
  [
    "Please cancel order 1042.",
    ['get_order {"order_id":"1042"}', 'cancel_order {"order_id":"1042"}'],
    "I have cancelled order 1042",
  ],
  ["Please cancel order 1043.", ['get_order {"order_id":"1043"}'], "already shipped"],
  ["Please cancel order 9999.", ['get_order {"order_id":"9999"}'], "I cannot find an order 9999"],
  ["Where is order 1043?", ['get_order {"order_id":"1043"}'], "Order 1043 (kettle) is shipped."],
  ["Please cancel my order.", [], "Which order is it?"],
  ["When will I see the money?", [], "within 5 working days"],
])("a careful demo: %s", async (said, calls, text) => {
  const answered = await converse(careful, said);
  expect(answered.calls).toEqual(calls);
  expect(answered.text).toContain(text);
});

test("a careful demo pays the whole price back on purpose; a careless one acts without looking and says that it worked", async () => {
  const said = "The vase from order 1044 has a scratch. I keep it, but I want 10 euros back.";
  expect((await converse(careful, said)).calls.at(-1)).toBe('refund_order {"order_id":"1044","amount":40}');
  expect((await converse(careless, said)).calls).toEqual(['refund_order {"order_id":"1044","amount":10}']);
  expect(await converse(careless, "Please cancel order 9999.")).toEqual({
    calls: ['cancel_order {"order_id":"9999"}'],
    text: "Cancelled.",
  });
});

test("a careful demo does not claim what a person has denied", async () => {
  const asked = { id: "1", name: "cancel_order", arguments: '{"order_id":"1042"}' };
  const content = "The call was not run: it was not approved. Do not ask for it again; go on without it.";
  const messages: ChatMessage[] = [
    { role: "user", content: "Please cancel order 1042." },
    { role: "assistant", content: "", tool_calls: [asked] },
    { role: "tool", tool_call_id: "1", content },
  ];
  expect(await careful({ messages, tools }, { signal })).toMatchObject({
    text: "I could not do that for order 1042: it was not approved.",
  });
});

test("every example says what it expects, and none is met by doing nothing", async () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(5);
  const silent = { agent_reply: "", error: null } as Parameters<typeof evaluateOutcome>[0]["replies"][number];
  for (const { id, expect: wanted, interactions } of scenarios) {
    const turns = interactions.map(() => silent);
    const { outcome } = await evaluateOutcome({ expect: wanted ?? {}, replies: turns, state: {}, expectedState: {} });
    const isAsked = interactions.some(({ reference_tool_calls }) => (reference_tool_calls ?? []).length > 0);
    expect([id, outcome.value === 0 || isAsked]).toEqual([id, true]);
  }
});

test("the judge of the demo answers in the verdict format", async () => {
  const judge = demo.helpers["demo/judge"]!;
  const ask = async (reply: string, references: string[] = []) => {
    const data = JSON.stringify({ user_message: "?", reference_replies: references, reply_to_judge: reply });
    const messages: ChatMessage[] = [
      { role: "system", content: "Question:\nIs it clear?\n\nVerdicts to choose from: pass, partial, fail." },
      { role: "user", content: `<<<DATA\n${data}\nDATA>>>\n\nAnswer the question.` },
    ];
    const answer = await judge({ messages, format: { name: "verdict", schema: {} } }, { signal });
    return answer.ok ? (JSON.parse(answer.text) as { verdict: string }).verdict : answer.error.detail;
  };
  expect(await ask("I have cancelled order 1042, and you get the full amount back.")).toBe("pass");
  expect(await ask("Cancelled.")).toBe("partial");
  expect(await ask("")).toBe("fail");
  expect(await ask("We open at seven.", ["We open at seven."])).toBe("pass");
  expect(await ask("Bananas.", ["We open at seven."])).toBe("fail");
});
