import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const cases = [
  "pass | U Hours? | A We open at nine.",
  "fail | U Hours? | A We sell lamps, and they open at nine.",
  "partial | U Hours and prices? | A We open at nine.",
].join("\n");

const verdict = (choice: string, quote = "open at nine") =>
  text(JSON.stringify({ reason: "r", evidence: [{ turn: 1, call: "", quote }], verdict: choice }));

test("a judge is added to the configuration, which stays as it is otherwise", async () => {
  await using folder = await folderWith({ "rehearsal.yaml": "# ours\nmodel: m\nscenarios: suite.yaml # all\n" });
  const cwd = folder.path;
  const added = await runCli(["judge", "add", "tone", "--model", "j", "--endpoint", "http://127.0.0.1:9/v1"], { cwd });
  expect(added).toMatchObject({ code: 0 });
  await runCli(["judge", "add", "faithfulness"], { cwd });
  expect(await readFile(folder.file("rehearsal.yaml"), "utf8")).toBe(
    "# ours\nmodel: m\nscenarios: suite.yaml # all\njudge:\n  model_id: j\n  endpoint: http://127.0.0.1:9/v1\n  judges:\n    - tone\n    - faithfulness\n",
  );
  const wrong = await runCli(["judge", "add", "faithfullness"], { cwd });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean faithfulness?") as string });
});

test("a judge is tested on labelled cases, with agreement, its interval and what it got wrong", async () => {
  await using provider = await startFakeProvider({ behaviour: verdict("pass") });
  await using folder = await folderWith({ "cases.txt": cases });
  const judge = ["--model", "j", "--endpoint", provider.url];
  const tested = await runCli(["judge", "test", "answer_relevance", "--cases", "cases.txt", ...judge], {
    cwd: folder.path,
  });
  expect(tested.stdout).toContain("answer_relevance: agrees on 1 of 3, 33 % (95 %: 6 % to 79 %)");
  expect(tested.stdout).toContain('people: fail, judge: pass: "We sell lamps, and they open at nine."');
  provider.setModelBehaviour("j", verdict("pass", "nobody said this"));
  const void_ = await runCli(["judge", "test", "tone", "--cases", "cases.txt", "--json", ...judge], {
    cwd: folder.path,
  });
  expect(JSON.parse(void_.stdout)).toMatchObject({ judges: { tone: { cases: 3, judged: 0, agreed: 0 } } });
});

test("a run in which nothing decides tells what can be seen without a judge, and how to have one", async () => {
  await using provider = await startFakeProvider({ behaviour: text("I have refunded your order for $49.") });
  const scenario = {
    id: "refund",
    interactions: [{ user_message: "Refund?", reference_reply: "The refund of $25 takes 5 days." }],
  };
  await using folder = await folderWith({ "suite.jsonl": JSON.stringify(scenario) });
  const { stdout } = await runCli(["eval", "suite.jsonl", "--model", "m", "--endpoint", provider.url, "--no-gate"], {
    cwd: folder.path,
  });
  expect(stdout).toContain("What can be seen without a judge:\n  facts without a source: 1 of 1");
  expect(stdout).toContain("judge add answer_relevance hallucinated_action --model MODEL --endpoint URL");
  expect(stdout).toContain('checks: [{ type: contains, text: "$25" }, { type: contains, text: "5 days" }]');
});
