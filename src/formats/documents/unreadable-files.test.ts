import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeUtf8 } from "./decode-text.ts";
import { FormatError } from "../scenario-file.ts";
import { detectDelimiter } from "../tables/read-table.ts";
import { importScenarios, type ScenarioImportRequest } from "../import-scenarios.ts";
import { scenarioFormats } from "../formats.ts";

function refusal(request: ScenarioImportRequest): FormatError {
  try {
    importScenarios(request);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error("the file was read");
}

test("refuses broken JSON with line and column", () => {
  const error = refusal({ text: '{\n  "id": "a",\n  "interactions": [,]\n}' });
  expect(error).toMatchObject({
    line: 3,
    column: 20,
    message: 'line 3, column 20: not valid JSON: unexpected ","',
  });
});

const escapes = "\\n".repeat(200_000);

test("reports an unclosed string with many escapes", () => {
  const message = "line 1, column 400018: not valid JSON: unexpected end of the text";
  expect(refusal({ text: `{"user_message":"${escapes}`, name: "a.json" }).message).toBe(message);
});

test("reads a long string beside other values", () => {
  const text = `[\n{"user_message":"${escapes}","n":NaN,"n":1}]`;
  const { scenarios, notes } = importScenarios({ text, name: "a.json" });
  expect(scenarios[0]?.interactions[0]?.user_message).toHaveLength(200_000);
  expect(notes).toContainEqual(
    expect.objectContaining({ line: 2, message: expect.stringContaining('the key "n"') as string }),
  );
});

test.each([
  ["blank lines", "\n".repeat(400_000)],
  ["quotes", '"a"'.repeat(200_000)],
])("detects the delimiter of many %s", (_, text) => {
  expect(detectDelimiter(`${text}\na;b`)).toBe(text.startsWith("\n") ? ";" : ",");
});

test.each([
  ["output.jsonl", '{"id":"b","custom_id":"a","response":{"status_code":200,"body":{}}}', "the answers of a batch"],
  ["results.jsonl", '{"custom_id":"a","result":{"type":"succeeded","message":{}}}', "the answers of a batch"],
  ["a.convo.txt", "Greeting\n\n#me\nhello\n\n#bot\nhello!", "Botium scripts"],
])("explains what %s is", (name, text, message) => {
  expect(refusal({ text, name }).message).toContain(message);
});

test("refuses broken YAML with line and column", () => {
  const error = refusal({ text: "id: a\ninteractions:\n  - user_message: [x\n", name: "a.yaml" });
  expect(error.line).toBeGreaterThanOrEqual(3);
  expect(error.message).toContain("not valid YAML");
});

test.each([
  ["brackets", `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`],
  ["lists", `${"- ".repeat(20_000)}a`],
])("refuses YAML of %s that is nested too deeply", (_, text) => {
  expect(refusal({ text, name: "deep.yaml" }).message).toContain("not valid YAML: it is nested too deeply");
});

test("refuses broken CSV with its line", () => {
  for (const row of ['hi,"x"y', '"say "a, b" now",x', '""x"",y', 'hi, "x"y']) {
    expect(refusal({ text: `input,expected\nA 5" pipe,yes\n${row}\n` })).toMatchObject({
      line: 3,
      message: expect.stringContaining("a cell continues after its closing quote"),
    });
  }
  const open = refusal({ text: 'input,expected\na,"b\nc"\nhi,"x\nbye,y\nagain,z\n' });
  expect(open).toMatchObject({ line: 4, message: expect.stringContaining("Quote Not Closed") });
});

test("limits how much of a file an error quotes", () => {
  const { message } = refusal({ text: `${"x".repeat(100_000)},y\n1,2`, format: "csv" });
  expect(message).toContain("no column holds the user's message; name it with the mapping user=…");
  expect(message.length).toBeLessThan(2_100);
});

test.each(["", "   \n", "\uFEFF"])("refuses an empty file: %j", (text) => {
  expect(refusal({ text }).message).toBe("the file is empty");
});

test("refuses archives, Git LFS pointers, UTF-16 and endless nesting", () => {
  expect(refusal({ text: "PK\u0003\u0004…" }).message).toContain("inspect log convert");
  const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:8d25\nsize 3852\n";
  for (const name of ["samples.jsonl", "suite.yaml", "tests.csv"])
    expect(refusal({ text: pointer, name }).message).toContain("git lfs pull");
  expect(refusal({ text: "{\0" }).message).toContain("UTF-8");
  expect(refusal({ text: "[".repeat(5000) + "]".repeat(5000) }).message).toContain("nested more than 100 levels");
  expect(refusal({ text: "a: &a [*a]\n", name: "x.yaml" }).message).toBeTruthy();
});

test.each(["\n<!DOCTYPE html>\n<html>", '<?xml version="1.0"?>', "<testsuites>"])("refuses the markup %j", (text) => {
  expect(refusal({ text }).message).toBe("this is HTML or XML; a scenario file is JSON, YAML or a table");
});

test.each([
  ["a picture", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d], "this is a binary file, not text"],
  ["a PDF", [...Buffer.from("%PDF-1.7\n%"), 0xe2, 0xe3], "this is a binary file, not text"],
  ["UTF-16", [0xff, 0xfe, ...Buffer.from("input,expected\n", "utf16le")], "this is UTF-16 or binary"],
  ["Latin-1", [...Buffer.from("input,expected\nWie sp\u00e4t?,Acht.\n", "latin1")], "line 2: this file is not UTF-8"],
  [
    "windows-1251",
    [0xca, 0xee, 0xe3, 0xe4, 0xe0],
    "iconv -f CP1252 -t UTF-8 old.csv > new.csv (CP1252 is Western; CP1251",
  ],
])("refuses %s under any name", (_name, bytes, message) => {
  expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow(message);
});

test("decodes UTF-8 and removes a byte order mark", () => {
  expect(decodeUtf8(Buffer.from("\uFEFFinput\n\uFFFD ä\n"))).toBe("input\n\uFFFD ä\n");
});

test("reads a long value", () => {
  const long = "y".repeat(800_000);
  const { notes } = importScenarios({
    text: JSON.stringify({ id: "a", interactions: [{ user_message: long, x: 1 }] }),
  });
  expect(notes).toMatchObject([{ line: 1, message: "unknown fields: x" }]);
  expect(detectDelimiter(`"${long}";b\n`)).toBe(";");
});

const many = 130_000;

test.each([
  ["values of an assertion", { assert: [{ type: "equals", value: Array.from({ length: many }, String) }] }],
  ["assertions", { assert: Array(many).fill({ type: "contains", value: "a" }) }],
])("reads more %s than a function takes arguments", (_what, test) => {
  const text = JSON.stringify({ prompts: ["{{q}}"], tests: [{ vars: { q: "Hi" }, ...test }] });
  expect(importScenarios({ text }).scenarios).toHaveLength(1);
});

test("reads a prompt of more messages than a function takes arguments", () => {
  const raw = JSON.stringify(Array(many).fill({ role: "user", content: "Hi" }));
  const text = JSON.stringify({ results: { results: [{ prompt: { raw }, response: { output: "Ho" } }] } });
  expect(importScenarios({ text }).scenarios[0]?.interactions.length).toBe(many);
});

test("reads a line that repeats a key more often than a function takes arguments", () => {
  const text = `{${'"id":"a",'.repeat(many)}"user_message":"Hi"}`;
  const { notes } = importScenarios({ text, format: "jsonl" });
  expect(notes.filter(({ message }) => message.startsWith('the key "id"'))).toHaveLength(many - 1);
});

test("refuses a file that expands through YAML aliases", () => {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(", ")}]`,
  );
  expect(refusal({ text: `l0: &l0 x\n${levels.join("\n")}\n`, name: "bomb.yaml" }).message).toContain("unusable YAML");
});

test("refuses a long text with too many aliases", () => {
  const turns = Array.from({ length: 200 }, () => "  - { user_message: Hi, reference_reply: *long }\n");
  const text = `x: &long ${"a ".repeat(200_000)}\nid: a\ninteractions:\n${turns.join("")}`;
  expect(refusal({ text, name: "a.yaml" }).message).toContain("its aliases expand to far more than the file contains");
});

test("drops label keys that reach a prototype", () => {
  const text =
    '{"id":"a","interactions":[{"user_message":"x","reference_metadata":{"__proto__":{"polluted":1},"intent":"y"}}]}';
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ intent: "y" });
  expect(notes).toMatchObject([{ message: "label __proto__: the key __proto__ is not allowed" }]);
});

/** The result of an import: the format if it gave scenarios or notes, or the refusal. */
function outcome(request: ScenarioImportRequest): unknown {
  try {
    const { format, scenarios, notes } = importScenarios(request);
    return scenarios.length + notes.length > 0 ? format : "nothing, and nothing said";
  } catch (error) {
    return error instanceof FormatError ? "refused" : error;
  }
}

test.each(scenarioFormats.map(({ id }) => id))("throws nothing but a FormatError for %s, for any text", (format) => {
  const keys = fc.constantFrom(
    "messages",
    "input",
    "conversations",
    "tests",
    "vars",
    "assert",
    "prompts",
    "samples",
    "eval_cases",
    "conversation",
    "data",
    "inputs",
    "outputs",
    "turns",
    "results",
    "id",
    "role",
    "content",
    "interactions",
    "user_message",
    "metadata",
    "scenarios",
    "config",
    "defaultTest",
    "sample",
    "item",
  );
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(null, 1, "", "text", true, "file://x", "{{a}}", "user"),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(keys, tie("node"), { maxKeys: 4 }),
    ),
  })).node;
  fc.assert(
    fc.property(
      fc.oneof(
        value.map((node) => JSON.stringify(node)),
        fc.string(),
      ),
      (text) => {
        expect([format, "refused"]).toContain(outcome({ text, format }));
      },
    ),
    { numRuns: 150 },
  );
});

test("notes a repeated key with its line, in JSON and JSON lines", () => {
  const turns = '"interactions": [{ "user_message": "id", "reference_metadata": { "id": "{\\"id\\":1}" } }]';
  const repeated = importScenarios({ text: `{\n  "id": "a",\n  ${turns},\n  "\\u0069d": "b"\n}` });
  const message = 'the key "id" appears more than once in one object; only the last value is used';
  expect(repeated).toMatchObject({ scenarios: [{ id: "b" }], notes: [{ kind: "dropped", line: 4, message }] });
  const lines = importScenarios({ text: `{"id":"a",${turns}}\n{"id":"b","id":"c",${turns}}\n`, name: "a.jsonl" });
  expect(lines.notes).toEqual([{ kind: "dropped", line: 2, message }]);
});

test.each(["interaction", "steps"])("says where turns named %s belong", (name) => {
  const text = JSON.stringify({ id: "a", [name]: [{ user_message: "Hi" }] });
  expect(refusal({ text }).message).toBe(
    `unknown field ${name}: put the turns of a scenario under interactions, each with a user_message`,
  );
});

test("says that a file of another kind has no questions", () => {
  expect(refusal({ text: "services: { db: { image: postgres } }\n", name: "compose.yaml" }).message).toBe(
    "this file has neither scenarios nor questions: there is no text in its fields services",
  );
});

test("asks for the spans of attributes", () => {
  const text = JSON.stringify({ "gen_ai.operation.name": "chat", input: "{}", output: "Hi" });
  expect(refusal({ text }).message).toContain("export the spans whole");
});

test("asks for the questions beside answers to MT-Bench's", () => {
  const text = JSON.stringify({
    question_id: 101,
    model_id: "gpt-4",
    choices: [{ index: 0, turns: ["You are second."] }],
  });
  expect(refusal({ text }).message).toContain("import question.jsonl");
});

test.each(["", " Hi", " 3"])("refuses interactions:%s, which must be a list of turns", (value) => {
  expect(refusal({ text: `id: a\ninteractions:${value}\n`, name: "a.yaml" }).message).toBe(
    "interactions must be a list of turns, each with a user_message",
  );
});

test.each([
  ["promptfooconfig.ts", "export default { prompts: [] };"],
  ["a/promptfooconfig.js", "module.exports = { prompts: ['Hi'] };"],
  [undefined, "const x = 1;\nexport default { prompts: [x] };"],
])("answers the promptfoo configuration %s with the command that writes it as JSON", (name, text) => {
  const { message } = refusal({ text, name });
  const file = name?.split("/").at(-1) ?? "promptfooconfig.js";
  expect(message).toContain(`node -e "import('./${file}')`);
  expect(message).toMatch(/> promptfooconfig\.json$/);
});

test("refuses other code", () => {
  expect(refusal({ text: "print(1)", name: "tests.py" }).message).toContain("this is code, which is not run");
});
