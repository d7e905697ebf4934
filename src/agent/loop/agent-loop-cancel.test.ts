import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { runAgent } from "./agent-loop.ts";
import { asksFor, scriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tools/tool.ts";

const messages = [{ role: "user", content: "Go." }] as const;
const gone = new Error("The client went away.");
const forever = () => new Promise<never>(() => {});

test("calls nothing when cancelled before the start", async () => {
  const model = scriptedModel("Hi");
  await expect(runAgent({ model, messages, signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
  expect(model.requests).toHaveLength(0);
});

test("cancels the model call, even if the model ignores the signal", async () => {
  const controller = new AbortController();
  let modelSignal: AbortSignal | undefined;
  const model = scriptedModel((_, options) => {
    modelSignal = options.signal;
    controller.abort(gone);
    return forever();
  });
  await expect(runAgent({ model, messages, signal: controller.signal })).rejects.toBe(gone);
  expect(modelSignal?.reason).toBe(gone);
});

test("rejects with the caller's reason, whatever the model throws", async () => {
  const controller = new AbortController();
  const model = () => {
    controller.abort(gone);
    throw new TypeError("socket closed");
  };
  await expect(runAgent({ model, messages, signal: controller.signal })).rejects.toBe(gone);
});

test("cancels running tools and never starts waiting ones", async () => {
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  const tool = defineTool({
    name: "hang",
    description: "",
    parameters: {},
    run: (_, context) => {
      signals.push(context.signal);
      if (signals.length === 2) queueMicrotask(() => controller.abort(gone));
      return forever();
    },
  });
  const calls = ["a", "b", "c", "d"].map((id) => ({ id, name: "hang", arguments: "{}" }));
  const events: string[] = [];
  const run = runAgent({
    model: scriptedModel({ tool_calls: calls }),
    messages,
    tools: [tool],
    limits: { parallel: 2 },
    signal: controller.signal,
    onEvent: (event) => events.push(event.type),
  });
  await expect(run).rejects.toBe(gone);
  expect(signals.map((signal) => signal.reason)).toEqual([gone, gone]);
  expect(events.filter((type) => type.startsWith("tool"))).toEqual(["tool-start", "tool-start"]);
  expect(events).not.toContain("run-end");
});

test("rejects when cancelled during the last answer", async () => {
  const controller = new AbortController();
  const tool = defineTool({ name: "echo", description: "", parameters: {}, run: () => "echo" });
  const model = scriptedModel(asksFor("echo"), () => {
    controller.abort(gone);
    return forever();
  });
  const run = runAgent({ model, messages, tools: [tool], limits: { steps: 1 }, signal: controller.signal });
  await expect(run).rejects.toBe(gone);
});

test("leaves no listener on the caller's signal", async () => {
  const { signal } = new AbortController();
  const tool = defineTool({ name: "echo", description: "", parameters: {}, run: () => "echo" });
  await runAgent({
    model: scriptedModel(asksFor("echo"), "ok"),
    messages,
    tools: [tool],
    limits: { steps: 1 },
    signal,
  });
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
