import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { askTarget } from "./init.ts";

/** A terminal that answers each question. */
function person(...answers: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...answers];
  output.on("data", () => {
    const next = left.shift();
    if (next !== undefined) input.write(`${next}\n`);
  });
  return { input, output };
}

test("asks for endpoint, model and example", async () => {
  const terminal = person("http://127.0.0.1:11434/v1", " small ", "both", "agent");
  const endpoint = "http://127.0.0.1:11434/v1";
  expect(await askTarget({}, terminal)).toEqual({ endpoint, model: "small", example: "agent" });
});

test("asks again for an invalid endpoint, and for a missing model outside the demo", async () => {
  const terminal = person("localhost:11434", "http://localhost:11434/v1", "", "small", "");
  expect(await askTarget({}, terminal)).toEqual({ endpoint: "http://localhost:11434/v1", model: "small" });
  expect(await askTarget({ endpoint: "agent" }, person("", ""))).toEqual({ endpoint: "agent", model: undefined });
});

test.each(["\u0003", "\u0004"])("%j ends the command with a message", async (key) => {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.once("data", () => input.write(key));
  await expect(askTarget({}, { input, output })).rejects.toMatchObject({
    name: "CliError",
    message: "interrupted; nothing was written",
    exitCode: 130,
  });
});

test("takes the demo for an empty answer, without asking for a model", async () => {
  expect(await askTarget({}, person("", ""))).toEqual({ endpoint: undefined, model: undefined });
});

test("does not ask for values given as options", async () => {
  const terminal = person();
  expect(await askTarget({ endpoint: "agent", model: "demo/scripted", example: "replies" }, terminal)).toEqual({
    endpoint: "agent",
    model: "demo/scripted",
    example: "replies",
  });
  terminal.output.end();
  expect(await text(terminal.output)).toBe("");
});
