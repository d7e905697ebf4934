import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { askingCheck } from "../../scoring/checks/checks.ts";
import type { CodeRunner } from "../../scoring/checks/define-check.ts";
import { transformedInput } from "../../scoring/checks/user-code.ts";
import type { ScorerInput, ScorerResult } from "../../scoring/scorers/scorer.ts";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import { createCheckCode } from "./check-code.ts";
import { findCommand } from "./find-command.ts";
import { createCodeHost, type CodeHost } from "./code-host.ts";

const never = new AbortController().signal;
const hasPython = findCommand("python3") !== null;
let folder: string;
let host: CodeHost;
let code: CodeRunner;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-code-"));
  host = createCodeHost({ limits: { timeoutMs: 2_000, memoryMb: 256, processes: 2 } });
  code = createCheckCode({ host, limits: { memoryMb: 256 }, environment: { DECLARED: "yes" }, python: "python3" }).run;
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const input = (reply: string, turn: Partial<NonNullable<ScorerInput["turn"]>> = {}): ScorerInput => ({
  reply: prepareText(reply),
  references: [prepareText("At seven.")],
  generated_metadata: {},
  reference_metadata: {},
  unjudged_keys: new Set(),
  call: { latency_ms: 12, first_token_ms: null, cost: null },
  turn: {
    interaction_id: "turn-1",
    user_message: "When?",
    prompt: "When?",
    tool_calls: [],
    finish_reason: "stop",
    ...turn,
  },
});

async function check(setting: object, given: ScorerInput = input("We open at seven.")): Promise<ScorerResult> {
  const parsed = UserScorerSetting.parse(setting);
  if (parsed.type !== "javascript" && parsed.type !== "python") throw new Error("no code");
  return askingCheck(parsed, { code })(given, never);
}

describe("JavaScript", () => {
  test.each([
    ["output.includes('seven')", 1],
    ["const words = output.split(' '); words.length > 9", 0],
    ["output.length > context.vars.least ? { pass: true, score: 0.5, reason: 'half' } : false", 0.5],
    ["const parts = output.split(' ');\nreturn parts.length / 8;", 0.5],
    ["context.references[0] === 'At seven.' && context.prompt === 'When?'", 1],
    ["process.env.DECLARED === 'yes' && process.env.PATH === undefined", 1],
    ["const assert = process.mainModule.require('node:assert'); assert.match(output, /closed/); true", 0],
    ["process.mainModule.require('node:path').basename('a/b') === 'b'", 1],
  ])("runs %j", async (inline, value) => {
    expect(await check({ type: "javascript", code: inline, vars: { least: 3 } })).toMatchObject({ value });
  });

  test("runs a function of a file, by default or by name", async () => {
    const file = join(folder, "kind.cjs");
    await writeFile(
      file,
      "module.exports = (output) => output.includes('please');\nmodule.exports.short = (output) => output.length;",
    );
    expect(await check({ type: "javascript", file })).toMatchObject({ value: 0 });
    expect(await check({ type: "javascript", file, function: "short", threshold: 5 })).toMatchObject({ value: 1 });
    await expect(check({ type: "javascript", file, function: "gone" })).rejects.toThrow(/exports no function gone/);
    await expect(check({ type: "javascript", code: "return return" })).rejects.toThrow(/Unexpected token/);
  });

  test("stops code that takes too long, and goes on with the next", async () => {
    await expect(check({ type: "javascript", code: "(() => { for (;;) {} })()" })).rejects.toThrow(/longer than 2 s/);
    expect(await check({ type: "javascript", code: "true" })).toMatchObject({ value: 1 });
  });

  test("leaves the score undecided when the code has an error, and not when it asserts", async () => {
    expect(await check({ type: "javascript", code: "JSON.parse(output).answer === 7" })).toEqual({
      value: null,
      failed: true,
      reason: expect.stringMatching(/^the code threw: SyntaxError: /),
    });
    const transform = [{ language: "javascript", code: "output.text.trim()" }] as const;
    expect(await transformedInput(input("We open."), { transform, code, signal: never })).toMatchObject({
      thrown: expect.stringMatching(/^in a transform: TypeError: /),
      code: "thrown",
    });
  });

  test("gives tool calls of a reply without text in the form of OpenAI", async () => {
    const given = input("", { tool_calls: [{ id: "1", name: "find", arguments: { id: 7 } }] });
    const inline = "output[0].function.name === 'find' && JSON.parse(output[0].function.arguments).id === 7";
    expect(await check({ type: "javascript", code: inline }, given)).toMatchObject({ value: 1 });
  });

  test("transforms a reply step by step", async () => {
    const transform = [
      { language: "javascript", code: "({ text: output.toUpperCase() })" },
      { language: "javascript", code: "output.text.slice(0, 2)" },
    ] as const;
    expect(await transformedInput(input("We open."), { transform, code, signal: never })).toMatchObject({
      output: "WE",
      reply: { raw: "WE" },
    });
  });
});

describe.runIf(hasPython)("Python", () => {
  test("runs expressions, bodies and functions of files; what they print is no answer", async () => {
    const file = join(folder, "kind.py");
    await writeFile(
      file,
      "import os\n\ndef score(output, context):\n    print('noise')\n    assert 'closed' not in output, 'it is closed'\n    return {'score': 0.75, 'reason': os.environ['DECLARED'] + str('HOME' in os.environ)}\n",
    );
    expect(await check({ type: "python", code: "'seven' in output" })).toMatchObject({ value: 1 });
    const body = "words = output.split()\nreturn len(words) / context['vars']['most']\n";
    expect(await check({ type: "python", code: body, vars: { most: 8 } })).toMatchObject({ value: 0.5 });
    expect(await check({ type: "python", file })).toEqual({ value: 0.75, reason: "yesFalse" });
    expect(await check({ type: "python", file }, input("We are closed."))).toEqual({
      value: 0,
      reason: "the code threw: AssertionError: it is closed",
    });
    expect(await check({ type: "python", code: "context['vras']['most'] > 1" })).toEqual({
      value: null,
      failed: true,
      reason: "the code threw: KeyError: 'vras'",
    });
    await expect(check({ type: "python", file, function: "gone" })).rejects.toThrow(/no function gone/);
    expect(await check({ type: "python", code: "None" })).toMatchObject({ value: null, failed: true });
  });

  test("stops code that takes too long or too much memory", async () => {
    await expect(check({ type: "python", code: "[1 for _ in iter(int, 1)]" })).rejects.toThrow(/stopped/);
    await expect(
      check({ type: "python", code: "bytearray(400_000_000)[0] == __import__('time').sleep(1)" }),
    ).rejects.toThrow(/256 MB/);
  });
});
