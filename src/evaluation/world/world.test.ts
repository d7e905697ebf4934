import { expect, test } from "vitest";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { createProbes } from "../tools/probes.ts";
import { WorldLimitError } from "./limits.ts";
import { prepareWorld, type WorldSession } from "./world.ts";

const { signal } = new AbortController();

const byId = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };

const orders = {
  state: { orders: { "1042": { status: "paid", total: 25 }, "a/b": { status: "odd" } }, log: [] },
  tools: [
    {
      name: "get_order",
      parameters: byId,
      answers: [{ result: { $state: "/orders/{order_id}" } }, { error: "No such order." }],
    },
    {
      name: "cancel_order",
      parameters: byId,
      answers: [
        {
          when: { order_id: { $regex: "^1\\d{3}$" } },
          set: { "/orders/{order_id}/status": "cancelled", "/log/-": { id: { $argument: "order_id" } } },
          result: { now: { $state: "/orders/{order_id}/status" } },
        },
      ],
    },
    { name: "forget", parameters: byId, answers: [{ remove: ["/orders/{order_id}"] }] },
  ],
};

function open(definition: unknown): WorldSession {
  return prepareWorld(World.parse(definition), { probes: createProbes() }).open();
}

async function call(session: WorldSession, name: string, args: unknown, rest: Partial<RecordedToolCall> = {}) {
  const asked = { id: "c", name, arguments: args as RecordedToolCall["arguments"], ...rest };
  const { result, error, changes } = await session.answer(asked, signal);
  session.apply({ type: "call", call: asked, ...(changes && { changes }) });
  return error ?? result;
}

test("answers from the state, with arguments filled in and escaped", async () => {
  const session = open(orders);
  expect(await call(session, "get_order", { order_id: "1042" })).toEqual({ status: "paid", total: 25 });
  expect(await call(session, "get_order", { order_id: "a/b" })).toEqual({ status: "odd" });
  expect(await call(session, "get_order", { order_id: "1" })).toBe("No such order.");
});

test("changes its own state only, and reads the result after the change", async () => {
  const definition = World.parse(orders);
  const world = prepareWorld(definition, { probes: createProbes() });
  const [one, other] = [world.open(), world.open()];
  expect(await call(one, "cancel_order", { order_id: "1042" })).toEqual({ now: "cancelled" });
  expect(one.state.value).toMatchObject({ orders: { "1042": { status: "cancelled" } }, log: [{ id: "1042" }] });
  expect(await call(one, "forget", { order_id: "1042" })).toEqual({ ok: true });
  expect(await call(one, "get_order", { order_id: "1042" })).toBe("No such order.");
  expect(other.state.value).toEqual(orders.state);
  expect(definition.state).toEqual(orders.state);
});

test.each([
  ["an unknown tool", "refund", {}, "There is no tool named"],
  ["a missing argument", "get_order", {}, "Invalid arguments: the arguments must have required property 'order_id'."],
  ["an argument of another type", "get_order", { order_id: 1042 }, "Invalid arguments: /order_id must be string."],
  ["arguments that are no object", "get_order", [1], "The arguments must be a JSON object."],
  ["arguments without an answer", "cancel_order", { order_id: "7" }, "No answer is declared for these arguments."],
  ["nothing to write to", "cancel_order", { order_id: "1999" }, "No answer is declared for these arguments."],
  ["a key that reaches a prototype", "get_order", { order_id: "__proto__" }, "must not name the key __proto__"],
  ["another one", "forget", { order_id: "constructor" }, "must not name the key constructor"],
])("answers %s with an error", async (_, name, args, message) => {
  const session = open(orders);
  expect(await call(session, name, args)).toContain(message);
  expect(session.state.value).toEqual(orders.state);
});

test("answers malformed arguments with their error", async () => {
  const answer = await call(open(orders), "get_order", '{"a"', { arguments_error: "Unexpected end" });
  expect(answer).toBe("The arguments are not valid JSON: Unexpected end");
});

test("fills in numbers, several arguments in one key, literals and nested arguments", async () => {
  const session = open({
    state: { seats: { "12-C": "free" } },
    tools: [
      {
        name: "book",
        parameters: { type: "object", properties: { row: {}, seat: {}, who: {}, note: {} } },
        answers: [
          {
            set: { "/seats/{row}-{seat}": { by: { $argument: "/who/name" } } },
            result: { was: { $literal: { $state: "/x" } }, note: { $argument: "note" } },
          },
          { result: "no note" },
        ],
      },
    ],
  });
  const args = { row: 12, seat: "C", who: { name: "Ada" }, note: [1, { a: null }] };
  expect(await call(session, "book", args)).toEqual({ was: { $state: "/x" }, note: [1, { a: null }] });
  expect(session.state.value).toEqual({ seats: { "12-C": { by: "Ada" } } });
  expect(await call(session, "book", { row: 12, seat: "C", who: { name: "Ada" } })).toBe("no note");
  expect(await call(session, "book", { ...args, seat: {} })).toBe("no note");
});

test("replays recorded calls in order, and fails for those that were not recorded", async () => {
  const session = open({
    tools: [{ name: "get", parameters: { type: "object" } }],
    recorded: [
      { name: "get", arguments: { a: 1, b: 2 }, result: "first" },
      { name: "get", arguments: { b: 2, a: 1 }, result: "second" },
      { name: "get", arguments: {}, error: "down" },
    ],
  });
  expect(await call(session, "get", { b: 2, a: 1.0 })).toBe("first");
  expect(await call(session, "get", { a: 1, b: 2 })).toBe("second");
  expect(await call(session, "get", { a: 1, b: 2 })).toContain("recorded only 2 times");
  expect(await call(session, "get", {})).toBe("down");
  expect(await call(session, "get", { a: 2 })).toContain("was never recorded");
});

test("a result that is too large is an error", async () => {
  const session = open({
    state: { rows: Array.from({ length: 200_000 }, (_, index) => `row ${index}`) },
    tools: [{ name: "all", parameters: { type: "object" }, answers: [{ result: { $state: "/rows" } }] }],
  });
  expect(await call(session, "all", {})).toBe("The result is too large: at most 1000000 characters are returned.");
});

test("offers names that every provider accepts, and finds the tool again", async () => {
  const parameters = { type: "object" };
  const definition = World.parse({
    tools: ["orders.get", "orders/get", "a".repeat(100)].map((name) => ({ name, parameters, answers: [{}] })),
  });
  const world = prepareWorld(definition, { probes: createProbes() });
  const names = world.tools.map(({ name }) => name);
  expect(names).toEqual(["orders_get", "orders_get_2", "a".repeat(64)]);
  expect(names.map(world.toolName)).toEqual(definition.tools.map(({ name }) => name));
});

test("sharing keeps a large state small over a thousand attempts", async () => {
  const rows = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`r${index}`, { text: "x".repeat(200) }]),
  );
  const definition = World.parse({
    state: { rows, count: 0 },
    tools: [
      {
        name: "touch",
        parameters: { type: "object", properties: { id: { type: "string" } } },
        answers: [{ set: { "/rows/{id}/seen": true } }],
      },
    ],
  });
  const world = prepareWorld(definition, { probes: createProbes() });
  const before = process.memoryUsage().heapUsed;
  let held: WorldSession[] = [];
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const session = world.open();
    await call(session, "touch", { id: `r${attempt}` });
    held = [session, ...held.slice(0, 31)];
  }
  expect(held).toHaveLength(32);
  expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(50);
});

const anything = { type: "object" };
const times = async (number: number, work: () => Promise<unknown>) => {
  for (let index = 0; index < number; index += 1) await work();
};

test.each([
  [
    "doubles a part of the state",
    { a: 1 },
    { set: { "/a": [{ $state: "/a" }, { $state: "/a" }] } },
    30,
    "16,777,216 characters of JSON and 1,000,000 values",
  ],
  [
    "doubles the whole state",
    {},
    { set: { "": { a: { $state: "" }, b: { $state: "" } } } },
    30,
    "16,777,216 characters of JSON and 1,000,000 values",
  ],
  [
    "doubles by appending",
    { a: ["x".repeat(100)] },
    { set: { "/a/-": { $state: "/a" } } },
    30,
    "16,777,216 characters",
  ],
  ["nests the state", { a: 1 }, { set: { "/a": { b: { $state: "/a" } } } }, 300, "256 levels"],
  [
    "writes the same large value",
    { text: "x".repeat(5e6) },
    { set: { "/a": { $state: "/text" } } },
    4,
    "16,777,216 characters",
  ],
  [
    "repeats an argument",
    {},
    { set: { "/a": Array.from({ length: 100 }, () => ({ $argument: "text" })) } },
    1,
    "16,777,216 characters",
  ],
])("a call that %s passes a limit in words", async (_, state, answer, calls, limit) => {
  const session = open({ state, tools: [{ name: "grow", parameters: anything, answers: [answer] }] });
  const grow = () => call(session, "grow", { text: "x".repeat(500_000) });
  const passed = times(calls, grow);
  await expect(passed).rejects.toThrow(WorldLimitError);
  await expect(passed).rejects.toThrow("The call of grow passes a limit of the world: ");
  await expect(passed).rejects.toThrow(limit);
});

test("changes that were restored count towards the limits", async () => {
  const grow = { name: "grow", parameters: anything, answers: [{ set: { "/a": { $state: "/text" } } }] };
  const session = open({ state: { text: "x".repeat(5e6) }, tools: [grow] });
  const change = { op: "set" as const, path: "/a", value: "y".repeat(5e6) };
  const done = { id: "c", name: "grow", arguments: {} };
  session.restore([1, 2, 3].map(() => ({ type: "call", call: done, changes: [change] })));
  expect(session.state.read(["a"])).toBe(change.value);
  await expect(call(session, "grow", {})).rejects.toThrow("16,777,216 characters");
});

test("a result that repeats itself, and a key made of many arguments, are errors", async () => {
  const text = "x".repeat(100_000);
  const session = open({
    state: {},
    tools: [
      { name: "show", parameters: anything, answers: [{ result: Array(50_000).fill({ $argument: "text" }) }] },
      { name: "look", parameters: anything, answers: [{ result: { $state: `/${"{text}".repeat(100)}` } }] },
    ],
  });
  expect(await call(session, "show", { text })).toBe(
    "The result is too large: at most 1000000 characters are returned.",
  );
  expect(await call(session, "look", { text })).toBe(
    "The arguments must not make a key of more than 10000 characters.",
  );
});

test("the work of answering is bounded, for each call and together", async () => {
  const copies = (number: number) => [{ result: Array(number).fill({ $argument: "value" }) }];
  const session = open({
    tools: [
      { name: "much", parameters: anything, answers: copies(450_000) },
      { name: "too_much", parameters: anything, answers: copies(550_000) },
    ],
  });
  await expect(call(session, "too_much", { value: 1 })).rejects.toThrow("it takes too much work to answer");
  await expect(times(12, () => call(session, "much", { value: 1 }))).rejects.toThrow(
    "The call of much passes a limit of the world: the calls of this attempt take too much work to answer.",
  );
});
