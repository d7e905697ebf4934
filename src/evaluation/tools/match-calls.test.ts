import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordedToolCall, ReferenceToolCall, ToolMatching } from "../../contract/schemas/acting/tool-call.ts";
import { type TurnTools, compareCalls, scoreCalls } from "./score-calls.ts";
import { assign } from "./assignment.ts";
import { matchCalls } from "./match-calls.ts";
import { createProbes } from "./probes.ts";

const signal = new AbortController().signal;

const call = (name: string, given: unknown = {}): RecordedToolCall =>
  ({ id: name, name, arguments: given }) as RecordedToolCall;

const reference = (name: string, expected?: Record<string, unknown>): ReferenceToolCall =>
  ({ name, ...(expected && { arguments: expected }) }) as ReferenceToolCall;

async function score(
  references: readonly ReferenceToolCall[],
  calls: readonly RecordedToolCall[],
  { tools, ...matching }: ToolMatching & { tools?: TurnTools } = {},
) {
  const scores = await scoreCalls({ references, calls, matching, tools, probes: createProbes(), signal });
  return {
    values: Object.fromEntries(scores.map(({ name, value }) => [name, value])),
    reasons: Object.fromEntries(scores.map(({ name, reason }) => [name, reason])),
  };
}

describe("assign", () => {
  const bruteForce = (
    weights: readonly (readonly number[])[],
    row = 0,
    used = new Set<number>(),
    skips = 0,
  ): number => {
    if (row === weights.length) return 0;
    const columns = [...(weights[row] as readonly number[]).keys()].filter((column) => !used.has(column));
    const taking = columns.map((column) => {
      const rest = bruteForce(weights, row + 1, new Set([...used, column]), skips);
      return (weights[row]?.[column] as number) + rest;
    });
    const canSkip = skips < weights.length - (weights[0]?.length ?? 0);
    return Math.max(...taking, ...(canSkip ? [bruteForce(weights, row + 1, used, skips + 1)] : []));
  };

  it("is optimal and one to one", () => {
    const matrices = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })).chain(([rows, columns]) =>
      fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(matrices, (weights) => {
        const assigned = assign(weights);
        const taken = assigned.filter((column) => column !== -1);
        expect(new Set(taken).size).toBe(taken.length);
        expect(taken.length).toBe(Math.min(weights.length, weights[0]?.length ?? 0));
        const total = assigned.reduce(
          (sum, column, row) => sum + (column === -1 ? 0 : (weights[row]?.[column] ?? 0)),
          0,
        );
        expect(total).toBe(bruteForce(weights));
      }),
      { numRuns: 300 },
    );
  });

  it("is not greedy", () => {
    expect(
      assign([
        [1, 0.9],
        [0.9, 0],
      ]),
    ).toEqual([1, 0]);
  });
});

it("matches a hundred references with a thousand calls in moments", () => {
  const references = Array.from({ length: 100 }, (_, index) =>
    reference("search", { query: `q${index}`, page: index % 7 }),
  );
  const calls = Array.from({ length: 1_000 }, (_, index) =>
    call("search", { query: `q${999 - index}`, page: index % 7 }),
  );
  const context = { text: "exact" as const, probes: createProbes().open(), onFailure: () => {} };
  const { pairs, extra } = matchCalls(references, calls, { extraArguments: "forbid", context });
  expect(pairs.every(({ value }) => value >= 0.5)).toBe(true);
  expect(extra).toHaveLength(900);
});

describe("scores", () => {
  const references = [
    reference("get_order", { order_id: "1042" }),
    reference("cancel_order", { order_id: "1042", reason: "changed mind" }),
    reference("send_email"),
  ];

  it("are 1 when every expected call was made", async () => {
    const calls = [
      call("send_email", { to: "a@b.c" }),
      call("cancel_order", { reason: "changed mind", order_id: "1042" }),
      call("get_order", { order_id: "1042" }),
    ];
    const { values, reasons } = await score(references, calls);
    expect(values).toEqual({ tool_name_f1: 1, tool_arguments: 1, tool_order: 1 / 3, tool_match: 1 });
    expect(reasons["tool_match"]).toBe("all 3 expected calls were made");
    expect(reasons["tool_order"]).toBe(
      "1 of 3 expected calls in order; cancel_order was called before get_order; any order is right",
    );
    const strict = await score(references, calls, { order: "strict" });
    expect(strict.values["tool_match"]).toBe(0);
    expect(strict.reasons["tool_match"]).toBe("cancel_order was called before get_order");
  });

  it("name the wrong call and argument", async () => {
    const calls = [
      call("get_order", { order_id: "1042" }),
      call("cancel_order", { order_id: "1043", reason: "changed mind", force: true }),
      call("refund_order", { order_id: "1042" }),
    ];
    const { values, reasons } = await score(references, calls);
    expect(values["tool_name_f1"]).toBeCloseTo(2 / 3);
    expect(values["tool_arguments"]).toBeCloseTo((1 + 1 / 3 + 0) / 3);
    expect(values["tool_match"]).toBe(0);
    expect(reasons["tool_match"]).toBe(
      'cancel_order: order_id is "1043", expected "1042", force is true, but the reference does not name it; not called: send_email',
    );
    expect(reasons["tool_name_f1"]).toBe(
      "2 of 3 expected calls made, 3 in total; not called: send_email; not expected: refund_order",
    );
  });

  it("are those of the worked example in docs/scoring.md", async () => {
    const expected = [
      reference("get_order", { order_id: "1042" }),
      reference("cancel_order", { order_id: "1042", reason: { $text: "changed mind" } }),
    ];
    const { values, reasons } = await score(expected, [
      call("cancel_order", { order_id: "1043", reason: "Changed mind" }),
      call("get_order", { order_id: "1042" }),
      call("send_email"),
    ]);
    expect(values).toEqual({ tool_name_f1: 0.8, tool_arguments: 0.75, tool_order: 0.5, tool_match: 0 });
    expect(reasons["tool_match"]).toBe('cancel_order: order_id is "1043", expected "1042"');
  });

  it("forbid extra calls and allow extra arguments on request", async () => {
    const calls = [call("get_order", { order_id: "1042", verbose: true }), call("get_order", { order_id: "7" })];
    const expected = [reference("get_order", { order_id: "1042" })];
    expect((await score(expected, calls)).values["tool_match"]).toBe(0);
    expect((await score(expected, calls, { extra_arguments: "allow" })).values["tool_match"]).toBe(1);
    const forbidden = await score(expected, calls, { extra_arguments: "allow", extra: "forbid" });
    expect(forbidden.values["tool_match"]).toBe(0);
    expect(forbidden.reasons["tool_match"]).toBe("not expected: get_order");
  });

  it("find an order where equal calls leave a choice", async () => {
    const expected = [reference("b"), reference("a")];
    const { values } = await score(expected, [call("a"), call("b"), call("a")], { order: "strict" });
    expect(values).toMatchObject({ tool_order: 1, tool_match: 1 });
    const searches = [reference("s", { q: 1 }), reference("s", { q: 2 })];
    const reversed = await score(searches, [call("s", { q: 2 }), call("s", { q: 1 })], { order: "strict" });
    expect(reversed.values).toMatchObject({ tool_arguments: 1, tool_order: 0.5, tool_match: 0 });
  });

  it("expect no call with an empty list, even where extra calls are allowed", async () => {
    expect((await score([], [])).values).toEqual({
      tool_name_f1: 1,
      tool_arguments: null,
      tool_order: null,
      tool_match: 1,
    });
    const { values, reasons } = await score([], [call("a"), call("a")]);
    expect(values["tool_match"]).toBe(0);
    expect(reasons["tool_match"]).toBe("no call expected, but a (2 times) was called");
  });

  it("explain arguments that are not JSON, or no object", async () => {
    const broken = { ...call("get_order", '{"order_id": '), arguments_error: "Unexpected end of JSON input" };
    const { values, reasons } = await score([reference("get_order")], [broken]);
    expect(values).toMatchObject({ tool_name_f1: 1, tool_arguments: 0, tool_match: 0 });
    expect(reasons["tool_match"]).toBe("get_order: its arguments are not valid JSON: Unexpected end of JSON input");
    const list = await score([reference("get_order", { id: 1 })], [call("get_order", [1])]);
    expect(list.reasons["tool_match"]).toBe("get_order: its arguments are [1], not an object");
    expect((await score([reference("ping", {})], [call("ping", null)])).values["tool_match"]).toBe(1);
  });

  it("report unknown tools and arguments that do not fit the tool's schema", async () => {
    const parameters = { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] };
    const tools = { tools: [{ name: "get_order", description: "", parameters }] } as TurnTools;
    const calls = [call("get_order", { order_id: 1042 }), call("teleport")];
    const { reasons } = await score([reference("get_order", { order_id: "1042" })], calls, { tools });
    expect(reasons["tool_match"]).toBe(
      'get_order: order_id is 1042, expected "1042"; unknown tools: teleport; invalid arguments of get_order: /order_id must be string',
    );
  });

  it("have no value when a schema takes too long", async () => {
    const references = [reference("a", { x: { $schema: { $ref: "#/$defs/x", $defs: { x: { type: "string" } } } } })];
    const asked: unknown[] = [];
    const slow = createProbes(async (check) => (asked.push(check), null));
    const options = { references, calls: [call("a", { x: "1" })], probes: slow, signal };
    const scores = await scoreCalls(options);
    expect(scores.every(({ value, failed }) => value === null && failed)).toBe(true);
    await scoreCalls(options);
    expect(asked).toHaveLength(1);
    const quick = createProbes(async () => ({ value: 1, reason: "fits the schema" }));
    const [first] = await scoreCalls({ ...options, probes: quick });
    expect(first?.value).toBe(1);
  });
});

describe("comparison", () => {
  const schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
  const tools = { tools: [{ name: "get", description: "", parameters: schema }] } as unknown as TurnTools;

  it("names the call of each reference, its wrong arguments, calls that are not expected, and invalid ones", async () => {
    const { comparison } = await compareCalls({
      references: [reference("get", { id: "1" }), reference("put", { id: "1" })],
      calls: [call("get", { id: "2", more: 1 }), call("get", {}), call("send", {})],
      matching: { extra: "forbid" },
      tools,
    });
    expect(comparison).toEqual({
      pairs: [
        {
          call: 0,
          wrong: [
            { argument: "id", reason: 'id is "2", expected "1"' },
            { argument: "more", reason: "more is 1, but the reference does not name it" },
          ],
        },
        { call: null },
      ],
      unexpected: [1, 2],
      problems: [
        { call: 1, kind: "invalid_arguments", reason: "the object must have required property 'id'" },
        { call: 2, kind: "unknown_tool", reason: "there is no tool of this name" },
      ],
    });
  });

  it("finds unknown tools without references, and says nothing where nothing is wrong", async () => {
    expect(await compareCalls({ calls: [call("send")], tools })).toEqual({
      scores: [],
      comparison: { problems: [expect.objectContaining({ call: 0, kind: "unknown_tool" })] },
    });
    expect(await compareCalls({ calls: [call("get", { id: "1" })], tools })).toEqual({ scores: [] });
    const right = await compareCalls({ references: [reference("get")], calls: [call("get", { id: "1" })], tools });
    expect(right.comparison).toEqual({ pairs: [{ call: 0 }] });
    const none = await compareCalls({ references: [], calls: [call("get", { id: "1" })], tools });
    expect(none.comparison).toEqual({ pairs: [], unexpected: [0] });
  });
});
