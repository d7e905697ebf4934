import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { loadLimits } from "./load-config.ts";
import { parseConfigText } from "./parse-config.ts";

const parse = (text: string, environment: NodeJS.ProcessEnv = {}) =>
  parseConfigText(text, { file: "rehearsal.yaml", environment });

test("reads YAML and JSON", () => {
  const expected = { name: "support", model: ["a", "b"], attempts: 3, gates: ["overall>=0.8"] };
  expect(parse('name: support\nmodel: [a, b]\nattempts: 3\ngates:\n  - "overall>=0.8"\n')).toEqual(expected);
  expect(parse(JSON.stringify(expected, null, "\t"))).toEqual(expected);
  expect(parse("")).toEqual({});
});

test("substitutes environment variables", () => {
  const text =
    'name: "${NAME}"\nendpoint: https://${HOST:-localhost}/v1\nattempts: ${ATTEMPTS:-4}\nmodel: "${MODEL}"\n';
  expect(parse(text, { NAME: "7", MODEL: "m" })).toEqual({
    name: "7",
    endpoint: "https://localhost/v1",
    attempts: 4,
    model: "m",
  });
  expect(parse("system_prompt: Use $${braces}\n")).toEqual({ system_prompt: "Use ${braces}" });
});

test("converts a quoted variable in JSON to the type the schema wants", () => {
  const json = (text: string, environment: NodeJS.ProcessEnv) =>
    parseConfigText(text, { file: "rehearsal.json", environment });
  const text = JSON.stringify({
    name: "${NAME}",
    attempts: "${ATTEMPTS}",
    stream: "${STREAM:-true}",
    budget: { calls: "${CALLS}" },
    max_errors: "${SHARE}",
  });
  const environment = { NAME: "7", ATTEMPTS: "3", CALLS: "50", SHARE: "0.5" };
  expect(json(text, environment)).toEqual({
    name: "7",
    attempts: 3,
    stream: true,
    budget: { calls: 50 },
    max_errors: 0.5,
  });
  expect(() => json('{"attempts": "${N}"}', { N: "many" })).toThrow(
    "rehearsal.json:1:14 attempts: must be a number or an object, not a string",
  );
  expect(() => json('{"attempts": "${N}"}', { N: "0" })).toThrow("rehearsal.json:1:14 attempts: ");
  expect(() => json('{"attempts": "3"}', {})).toThrow("attempts: must be a number or an object, not a string");
});

test("never parses the value of a variable as YAML", () => {
  expect(parse("name: ${NAME}\n", { NAME: "x\ngates: [a]" })).toEqual({ name: "x\ngates: [a]" });
});

test.each([
  ["name: a\natempts: 3\n", 'rehearsal.yaml:2:1 unknown key "atempts": did you mean "attempts"?'],
  ["name: a\nzzz: 3\n", 'rehearsal.yaml:2:1 unknown key "zzz" (rehearsal schema config lists them)'],
  [
    "parameters:\n  temperatur: 1\n",
    'rehearsal.yaml:2:3 unknown key "temperatur" in parameters: did you mean "temperature"?',
  ],
  [
    "budget:\n  money: 1\n  cents: 2\n",
    'rehearsal.yaml:3:3 unknown key "cents" in budget: there are calls, tokens, money, seconds',
  ],
  ["judge:\n  model: m\n", 'rehearsal.yaml:2:3 unknown key "model" in judge: there are endpoint, model_id, protocol'],
  ["attempts: many\n", "rehearsal.yaml:1:11 attempts: must be a number or an object, not a string"],
  ["endpoint: htp://x\n", "rehearsal.yaml:1:11 endpoint: must be an address like https://api.example.com/v1, or agent"],
  ["model: 3\n", "rehearsal.yaml:1:8 model: must be a string or an array, not a number"],
  ["name: a\nscorers:\n  - type: contains\n", "rehearsal.yaml:3:5 scorers.0.text: is required"],
  ["scorers: [{ type: contain }]\n", /^rehearsal\.yaml:1:19 scorers\.0\.type: must be one of "contains", "equals"/],
  ["name: a\nthreshold: 7\n", /^rehearsal\.yaml:2:12 threshold: .*1/],
  ["attempts: { max: 5, ci_width: 0.1 }\n", /^rehearsal\.yaml:1:11 attempts\.until: must be "decided" /],
  [
    "gates:\n  - success>=1\n  - overall>\n",
    /^rehearsal\.yaml:3:5 gates\.1: the gate "overall>" cannot be read: write/,
  ],
  ["gates: [overall>=80]\n", /^rehearsal\.yaml:1:9 gates\.0: the gate "overall>=80" .*did you mean 80%\?/],
  ["model: ${MODEL}\n", "rehearsal.yaml:1:8 the environment variable MODEL is not set"],
  ["name: [a\n", /^rehearsal\.yaml:\d+:\d+ is not valid YAML: /],
  ["name: a\n---\nname: b\n", "rehearsal.yaml:2:1 a second document begins here: keep one"],
  ["- a\n- b\n", /^rehearsal\.yaml:1:1 /],
])("refuses %j with its line and column", (text, message) => expect(() => parse(text)).toThrow(message));

test("loads the limits of a configuration without checking its other keys", async () => {
  await using folder = await temporaryFolder();
  const limitsOf = async (name: string, text: string): Promise<unknown> => {
    await writeFile(folder.file(name), text);
    return loadLimits(name, folder.path);
  };
  expect(await loadLimits(undefined, folder.path)).toEqual({});
  expect(await limitsOf("other.yaml", "name: ${NOT_SET}\nmodel: [")).toEqual({});
  expect(await limitsOf("a.yaml", "name: ${NOT_SET}\nzzz: 1\nlimits:\n  max_attempts: 7\n")).toEqual({
    max_attempts: 7,
  });
  expect(await limitsOf("a.mjs", "export default () => ({ zzz: 1, limits: { lease_ms: 9000 } });")).toEqual({
    lease_ms: 9000,
  });
  await expect(limitsOf("b.yaml", "limits:\n  max_atempts: 7\n")).rejects.toThrow(
    'b.yaml:2:3 unknown key "max_atempts" in limits: did you mean "max_attempts"?',
  );
  await expect(limitsOf("b.mjs", "export default { limits: { max_attempts: 0 } };")).rejects.toThrow(
    "limits.max_attempts",
  );
  await expect(loadLimits("missing.yaml", folder.path)).rejects.toThrow("missing.yaml does not exist");
});
