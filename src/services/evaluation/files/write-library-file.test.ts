import { expect, test } from "vitest";
import { numberedScenario } from "../../../../test/support/run-bench.ts";
import { scenarioFromInput } from "../../../runs/plan/to-scenario.ts";
import { ScenarioInput } from "../../../contract/schemas/scenario.ts";
import { createLibraryWriter, type LibraryFileRequest } from "./write-library-file.ts";

const scenario = scenarioFromInput(ScenarioInput.parse(numberedScenario("s", 20)));

async function* scenarios(count: number) {
  for (let index = 0; index < count; index++) yield { ...scenario, id: `s${index}` };
}

const request = (format: string, count: number): LibraryFileRequest => ({
  format,
  scenarios: scenarios(count),
  owner: null,
  signal: new AbortController().signal,
});

test("writes a library in a thread, with notes on what is left out", async () => {
  const write = createLibraryWriter();
  const written = await write(request("jsonl", 2));
  expect(written).toMatchObject({ text: expect.stringMatching(/^\{"id":"s0".*\n\{"id":"s1".*\n$/), notes: null });
  expect(await write(request("openai-chat", 1))).toMatchObject({
    notes: expect.stringContaining('"count":') as string,
  });
});

test("stays responsive meanwhile, and gives up a file that takes too long", async () => {
  const write = createLibraryWriter({ longestMs: 1_000 });
  const [slow, next] = await Promise.all([write(request("promptfoo", 20_000)), write(request("jsonl", 1))]);
  expect(slow).toEqual({
    problem:
      "takes more than 1 seconds; JSON lines are written fastest, and `rehearsal export` converts them to any other format",
  });
  expect(next).toHaveProperty("text");
});

test("refuses a library that is too large", async () => {
  const write = createLibraryWriter({ mostCharacters: 10_000 });
  expect(await write(request("json", 100))).toEqual({
    problem: expect.stringContaining("needs too much memory") as string,
  });
});
