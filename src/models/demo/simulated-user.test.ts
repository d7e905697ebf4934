import { expect, test } from "vitest";
import { SimulatedUser } from "../../contract/schemas/acting/simulated-user.ts";
import { parseUserTurn, simulatorPrompt, userTurnFormat } from "../../evaluation/simulation/ask-simulator.ts";
import { createDemo } from "./demo-models.ts";

const user = SimulatedUser.parse({ goal: "You want to cancel your order.", knows: { order_id: "1042" } });
const { signal } = new AbortController();

async function next(...said: readonly (readonly [message: string, reply: string])[]) {
  const messages = simulatorPrompt(
    user,
    said.map(([message, reply]) => ({ message, reply })),
  );
  const reply = await createDemo().hub["demo/scripted"]!({ messages, format: userTurnFormat }, { signal });
  return reply.ok ? parseUserTurn(reply.text) : reply.error.detail;
}

test("a demo model plays a user: states the goal, gives facts when asked, and ends", async () => {
  const opening = await next();
  expect(opening).toMatchObject({ message: "Hello, I have a request: cancel your order.", done: false });
  const asked = ["Hello, I have a request: cancel your order.", "Which order is it?"] as const;
  expect(await next(asked)).toMatchObject({ message: "The order id is 1042.", done: false });
  const given = ["The order id is 1042.", "Shall I cancel it?"] as const;
  expect(await next(asked, given)).toMatchObject({ message: "Yes, please.", done: false });
  expect(await next(asked, ["The order id is 1042.", "It is cancelled."])).toMatchObject({ done: true });
});

test("it ends also when the agent never does anything", async () => {
  const idle = (message: string) => [message, "Hm."] as const;
  const first = idle("Hello, I have a request: cancel your order.");
  const second = idle("The order id is 1042.");
  expect(await next(first, second)).toMatchObject({ message: expect.stringContaining("any news"), done: false });
  expect(await next(first, second, idle("Is there any news about this: x"))).toMatchObject({ done: true });
});
