import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readScenarioFiles } from "../../src/cli/scenarios/read-scenarios.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { codeBlocks, root } from "./markdown.ts";

const fixture = (name: string): string => readFileSync(join(root, "src/formats/fixtures/openai-evals", name), "utf8");

interface Listed {
  readonly id: string;
}

/** OpenAI's API as far as evals are concerned: pages of two, and one file of data that is gone. */
function startApi() {
  const evaluation = JSON.parse(fixture("eval.json"));
  const [run] = JSON.parse(fixture("runs.json")).data;
  const gone = {
    ...run,
    id: "evalrun_gone",
    data_source: { type: "jsonl", source: { type: "file_id", id: "file-gone" } },
  };
  const place = `/v1/evals/${evaluation.id}`;
  const lists: Record<string, readonly Listed[]> = {
    "/v1/evals": [evaluation],
    [`${place}/runs`]: [run, gone],
    [`${place}/runs/${run.id}/output_items`]: JSON.parse(fixture("output_items.json")).data,
    [`${place}/runs/evalrun_gone/output_items`]: [],
  };
  const texts: Record<string, string> = {
    [place]: fixture("eval.json"),
    "/v1/files/file-Kd83hXz1/content": fixture("file-Kd83hXz1.jsonl"),
  };
  return createServer(({ url = "", headers }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const list = lists[pathname];
    const start = (list?.findIndex(({ id }) => id === searchParams.get("after")) ?? 0) + 1;
    const data = list?.slice(start, start + 2);
    const page = data && { object: "list", data, last_id: data.at(-1)?.id, has_more: start + 2 < (list?.length ?? 0) };
    const text = page ? JSON.stringify(page, null, 2) : texts[pathname];
    const isAllowed = headers.authorization === "Bearer sk-test";
    response.writeHead(!isAllowed ? 401 : text === undefined ? 404 : 200).end(isAllowed ? text : "");
  }).listen(0, "127.0.0.1");
}

test("the program that downloads evals writes what the import reads", async () => {
  await using folder = await temporaryFolder();
  await using api = startApi();
  await new Promise((resolve) => api.once("listening", resolve));
  const [program] = codeBlocks("docs/migrate-from-openai-evals.md").filter(({ language }) => language === "js");
  writeFileSync(folder.file("download-evals.mjs"), program?.text ?? "");
  const base = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`;
  const env = { ...process.env, OPENAI_BASE_URL: base, OPENAI_API_KEY: "sk-test" };
  const done = await promisify(execFile)(process.execPath, ["download-evals.mjs"], { cwd: folder.path, env });
  expect(done.stdout).toMatch(/^Shop support: 2 runs in openai-evals\/eval_/);
  expect(done.stderr).toContain("files/file-gone/content: 404");
  const [read, ...others] = await readScenarioFiles(["openai-evals"], { folder: folder.path });
  expect(others).toEqual([]);
  expect(read?.scenarios.map(({ id, interactions }) => [id, interactions[0]?.checks?.length])).toEqual([
    ["shop-support-0", 4],
    ["shop-support-1", 4],
    ["shop-support-2", 4],
  ]);
});
