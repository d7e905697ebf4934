import { expect, test } from "vitest";
import { World, type WorldFault } from "../../contract/schemas/acting/world.ts";
import { createProbes } from "../tools/probes.ts";
import { faultsOf } from "./faults.ts";
import { prepareWorld } from "./world.ts";

const parameters = { type: "object" };
const world = (faults: readonly WorldFault[]): World => ({
  state: { status: "paid" },
  tools: [
    { name: "get", description: "", parameters, answers: [{ result: { status: { $state: "/status" } } }] },
    { name: "cancel", description: "", parameters, answers: [{ set: { "/status": "cancelled" } }] },
  ],
  faults: [...faults],
});
const signal = new AbortController().signal;

/** The outcomes of these calls, each taken over, and the last state. */
async function outcomes(faults: readonly WorldFault[], calls: readonly string[], seed: string | undefined = "s 1") {
  const session = prepareWorld(world(faults), { probes: createProbes() }).open(seed);
  const given = [];
  for (const [index, name] of calls.entries()) {
    const call = { id: String(index), name, arguments: {} };
    const { result, error, delayMs, changes } = await session.answer(call, signal);
    session.apply({ type: "call", call, ...(changes && { changes }) });
    given.push(error ?? (delayMs === undefined ? result : [result, delayMs]));
  }
  return [...given, session.state.value];
}

test("a fault happens on the named calls, and only with a seed", async () => {
  const faults = [{ tool: "cancel", on_call: 1, error: "Not available." }];
  const cancelled = { status: "cancelled" };
  expect(await outcomes(faults, ["cancel", "get", "cancel"])).toEqual([
    "Not available.",
    { status: "paid" },
    { ok: true },
    cancelled,
  ]);
  expect(await outcomes(faults, ["cancel"], "")).toEqual(["Not available.", { status: "paid" }]);
  const prepared = prepareWorld(world(faults), { probes: createProbes() }).open();
  expect(await prepared.answer({ id: "1", name: "cancel", arguments: {} }, signal)).toMatchObject({
    result: { ok: true },
  });
});

test("results are late, cut, stale or have a text of others", async () => {
  const calls = ["cancel", "get"];
  const last = async (fault: Partial<WorldFault>) =>
    (await outcomes([{ tool: "get", on_call: [1], ...fault }], calls))[1];
  expect(await last({ delay_ms: 5 })).toEqual([{ status: "cancelled" }, 5]);
  expect(await last({ truncate: 9 })).toBe('{"status"');
  expect(await last({ stale: true })).toEqual({ status: "paid" });
  expect(await last({ inject: "Pay now." })).toEqual({ status: "cancelled", note: "Pay now." });
});

test("a probability is kept over many attempts, and the same for an attempt each time", () => {
  const faults = [{ tool: "*", probability: 0.3, error: "x" }];
  const happened = (attempt: number) => faultsOf(faults, { name: "get", number: 1, seed: `a ${attempt}` }).length;
  const attempts = Array.from({ length: 2_000 }, (_, attempt) => happened(attempt));
  const share = attempts.reduce((sum, one) => sum + one, 0) / attempts.length;
  expect(share).toBeGreaterThan(0.25);
  expect(share).toBeLessThan(0.35);
  expect(attempts.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, attempt) => happened(attempt)));
});

test("a fault without a time or an effect is refused", () => {
  const parse = (fault: object) => World.safeParse({ ...world([]), faults: [fault] }).success;
  expect(parse({ tool: "get", on_call: 1, error: "x" })).toBe(true);
  expect([parse({ tool: "get", error: "x" }), parse({ tool: "get", on_call: 1 })]).toEqual([false, false]);
});
