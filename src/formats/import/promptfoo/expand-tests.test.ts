import { expect, test } from "vitest";
import { importScenarios } from "../../import-scenarios.ts";
import { createScenarioCollector } from "../../shared/scenario-collector.ts";
import { importPromptfoo } from "./config.ts";
import { renderTemplate } from "./render-template.ts";

function read(config: Record<string, unknown>) {
  const text = JSON.stringify({ prompts: ["{{a}} {{b}}"], ...config });
  return importScenarios({ text, format: "promptfoo" });
}

const values = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test("expands values only as far as they are kept", () => {
  const { scenarios, notes } = read({ tests: [{ vars: { a: values(1000), b: values(30_000) } }] });
  expect(scenarios).toHaveLength(1000);
  expect(scenarios.slice(0, 2).map(({ interactions }) => interactions[0]?.user_message)).toEqual(["0 0", "0 1"]);
  expect(notes).toMatchObject([{ message: "the test has 30000000 combinations of values; 1000 were kept" }]);
});

test("drops a test whose variables are in another file", () => {
  const tests = [{ vars: "file://vars.yaml" }, { vars: { b: "question" } }];
  const { scenarios, notes } = read({ defaultTest: { vars: { a: "persona" } }, tests });
  expect(scenarios.map(({ interactions }) => interactions[0]?.user_message)).toEqual(["persona question"]);
  const message = "this is in another file (file://vars.yaml); import that file separately";
  expect(notes).toEqual([{ kind: "dropped", line: 1, pointer: "/tests/0/vars", message }]);
});

test("notes code that rewrites the variables, once for the defaults", () => {
  const options = { transformVars: "{ ...vars, a: vars.a.toUpperCase() }", provider: "x" };
  const { scenarios, notes } = read({
    defaultTest: { options: { transformVars: "file://vars.js" } },
    tests: [{ vars: { a: "hello", b: "you" }, options }, { vars: { a: "bye", b: "you" } }],
  });
  expect(scenarios.map(({ interactions }) => interactions[0]?.user_message)).toEqual(["hello you", "bye you"]);
  const message =
    "options.transformVars is code, which is not executed: the user's message uses the variables as written";
  expect(notes.filter(({ kind }) => kind === "changed")).toMatchObject([
    { pointer: "/defaultTest", message },
    { pointer: "/tests/0", message },
  ]);
  expect(notes).toContainEqual(expect.objectContaining({ message: "not part of a scenario: options.provider" }));
});

test("limits expanded tests per file, but not tests written one by one", () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ vars: { a: values(600), b: String(index) } }));
  const single = Array.from({ length: 11_000 }, (_, index) => ({ vars: { a: "x", b: String(index) } }));
  const { scenarios, notes } = read({ tests: [...many, ...single] });
  expect(scenarios).toHaveLength(21_000);
  expect(notes[0]?.message).toBe(
    "the test has 600 combinations of values; 400 were kept, to stay within the 10000 a file may expand to",
  );
  expect(notes).toHaveLength(14);
});

test("reads a list of tests of any length", () => {
  const collector = createScenarioCollector();
  const tests = Array.from({ length: 130_000 }, () => ({ vars: "file://more.yaml" }));
  const document = { syntax: "json", values: [{ value: tests, place: {} }], notes: [] } as const;
  importPromptfoo({ document, collector, mapping: {} });
  expect(collector.finish().notes).toHaveLength(tests.length);
});

test("applies the same limit to sets and tests of a scenario", () => {
  const config = values(2_000).map((a) => ({ vars: { a } }));
  const tests = values(2_000).map((b) => ({ vars: { b } }));
  const { scenarios, notes } = read({ scenarios: [{ config, tests }] });
  expect(scenarios).toHaveLength(10_000);
  expect(notes.map(({ message }) => message)).toEqual([
    "the scenario has 4000000 tests; those beyond the 10000 a file may expand to were dropped",
  ]);
});

test("limits the repetition of a long text", () => {
  const { scenarios, notes } = read({ tests: [{ vars: { a: "x".repeat(900_000), b: values(1000) } }] });
  expect(scenarios.length).toBeLessThan(20);
  expect(notes.map(({ message }) => message)).toEqual(["the tests repeat too much text; the later ones were dropped"]);
  const { unknown } = renderTemplate("{{a}}".repeat(5_000), { a: "x".repeat(100_000) });
  expect(unknown).toEqual(["more than 1000000 characters or 100000 steps"]);
});

test("removes the line break at the end of a YAML block from a variable", () => {
  const { scenarios } = read({ tests: [{ vars: { a: "Hello\n", b: "{{ a }}\nyou\n\n" } }] });
  expect(scenarios[0]?.interactions[0]?.user_message).toBe("Hello Hello\nyou\n");
});

test("applies defaults unless disabled, and notes those that are not part of a scenario", () => {
  const defaultTest = {
    threshold: 0.5,
    assert: [{ type: "contains", value: "default" }],
    options: { rubricPrompt: "Be strict", prefix: "[", suffix: "]" },
  };
  const tests = [
    { vars: { a: "one", b: "1" } },
    { vars: { a: "two", b: "2" }, options: { disableDefaultAsserts: true, prefix: "<" }, prompts: ["v1"] },
  ];
  const { scenarios, notes } = read({ defaultTest, tests });
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  expect(turns.map(({ user_message, checks = [] }) => [user_message, checks.length])).toEqual([
    ["[one 1]", 1],
    ["<two 2]", 0],
  ]);
  expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    "/defaultTest not part of a scenario: options.rubricPrompt",
    "/tests/1 no prompt named v1 was found; the first prompt is used",
  ]);
});

test("notes a variable that cannot be filled, or uses a missing one", () => {
  const { notes } = read({ tests: [{ vars: { a: "{{ b | rot13 }}", b: "{{ env.HOME }}" } }] });
  expect(notes.map(({ message }) => message)).toEqual([
    "the variable a uses filter rot13, which is not supported; it is kept as written",
    "variables without a value: env.HOME",
  ]);
});

test("keeps tests separate that disable the conversation variable", () => {
  const prompts = ["{% for turn in _conversation %}{{ turn.input }}{% endfor %}{{a}}"];
  const tests = [{ vars: { a: "one" } }, { vars: { a: "two" } }];
  expect(read({ prompts, tests }).scenarios).toHaveLength(1);
  const options = { disableConversationVar: true };
  expect(read({ prompts, tests, defaultTest: { options } }).scenarios).toHaveLength(2);
});

test("notes other fields of a test and of a scenario", () => {
  const tests = [
    { vars: { a: "one", b: "1" }, tags: ["smoke"], skip: true },
    { vars: { a: "two", b: "2" }, assert: { type: "contains", value: "x" } },
  ];
  const scenarios = [{ config: [{ vars: { a: "3", b: "3" } }], name: "third" }, { tests: [{ vars: { a: "4" } }] }];
  const { scenarios: kept, notes } = read({ tests, scenarios });
  expect(kept).toHaveLength(3);
  expect(notes.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    "/tests/0 not part of a scenario: tags, skip",
    "/tests/1 assert is not a list of assertions",
    "/scenarios/0 not part of a scenario: name",
    "/scenarios/1 the scenario has no config list to make tests from",
  ]);
});

test("uses the first prompt that a test is limited to", () => {
  const prompts = [
    { label: "Style:brief", raw: "Briefly: {{a}}" },
    { id: "kind", label: "Kindly", raw: "Kindly: {{a}}" },
    "Plain {{a}}",
  ];
  const named = [undefined, ["Kindly"], ["kind"], ["Style:*", "kind"], ["Style"], ["Plain {{a}}"]];
  const tests = named.map((names, index) => ({ vars: { a: String(index) }, ...(names && { prompts: names }) }));
  const { scenarios, notes } = read({ prompts, tests });
  expect(scenarios.map(({ interactions }) => interactions[0]?.user_message)).toEqual([
    "Briefly: 0",
    "Kindly: 1",
    "Kindly: 2",
    "Briefly: 3",
    "Briefly: 4",
    "Plain 5",
  ]);
  expect(notes.map(({ message }) => message)).toEqual(["prompts 2 to 3; only the first prompt is used"]);
});

test("reads the prompt of a config without tests", () => {
  const asked = (config: Record<string, unknown>) =>
    read(config).scenarios.map(({ interactions }) => [
      interactions[0]?.user_message,
      interactions[0]?.checks?.length ?? 0,
    ]);
  expect(asked({ prompts: ["Tell me a joke."] })).toEqual([["Tell me a joke.", 0]]);
  const defaultTest = { vars: { a: "x", b: "y" }, assert: [{ type: "contains", value: "z" }] };
  expect(asked({ defaultTest, tests: [] })).toEqual([["x y", 1]]);
  expect(() => asked({ redteam: {} })).toThrow("red teaming is not supported");
  expect(asked({ prompts: ["Hi"], tests: "file://gone.csv" })).toEqual([]);
});

test("reads a whole chat from a variable, as data or as text", () => {
  const messages = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hi" },
  ];
  const written = [
    messages,
    JSON.stringify(messages),
    "- role: system\n  content: Be kind.\n- role: user\n  content: Hi",
  ];
  const { scenarios } = read({ prompts: ["{{a}}"], tests: written.map((a) => ({ vars: { a } })) });
  expect(scenarios).toHaveLength(3);
  for (const scenario of scenarios)
    expect(scenario).toMatchObject({ system_prompt: "Be kind.", interactions: [{ user_message: "Hi" }] });
});

test.each([
  ["the test", {}, { provider: { id: "promptfoo:simulated-user", config: { maxTurns: 3 } } }, 0],
  ["the defaults", { provider: "promptfoo:simulated-user" }, {}, 0],
  ["the defaults, but not the test", { provider: "promptfoo:simulated-user" }, { provider: "echo" }, 1],
])("does not use the prompt as the user's message if %s simulate the user", (_who, defaults, own, read) => {
  const config = {
    prompts: ["You are a support agent."],
    defaultTest: defaults,
    tests: [{ vars: { instructions: "You want a refund." }, ...own }],
  };
  const { scenarios, notes } = importScenarios({ text: JSON.stringify(config) });
  expect(scenarios).toHaveLength(read);
  expect(notes.some(({ message }) => message.startsWith("a model simulates the user"))).toBe(read === 0);
});
