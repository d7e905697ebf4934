import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

/** Holds calls until `expected` of them wait, or until no further call has come for a long while. Then answers at once. */
function gather(expected: number) {
  const opened = Promise.withResolvers<void>();
  const gathered = { most: 0, behaviour };
  let held = 0;
  let timer: NodeJS.Timeout | undefined;

  async function behaviour(call: Parameters<Behaviour>[0]): Promise<void> {
    held += 1;
    gathered.most = Math.max(gathered.most, held);
    clearTimeout(timer);
    // A moment longer than needed: calls that should not be made would come now.
    timer = setTimeout(opened.resolve, held < expected ? 5_000 : 200);
    await opened.promise;
    held -= 1;
    await text("Yes")(call);
  }
  return gathered;
}

const scenario = (index: number): string =>
  JSON.stringify({ id: `s${index}`, interactions: [{ id: "1", user_message: "Say yes", reference_reply: "Yes" }] });
const scenarios = Array.from({ length: 100 }, (_, index) => scenario(index)).join("\n");

test("-j sets the number of concurrent calls, unless a limit for the origin is configured", async () => {
  await using folder = await folderWith({ "all.jsonl": scenarios });
  await using provider = await startFakeProvider();
  const callsAtOnce = async (typed: number, expected: number, env: Record<string, string> = {}) => {
    const gathered = gather(expected);
    provider.setBehaviour(gathered.behaviour);
    const parameters = ["eval", "all.jsonl", "--endpoint", provider.url, "-m", "m", "--no-gate", "-j", String(typed)];
    const { code, stderr } = await runCli(parameters, { cwd: folder.path, env });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return { most: gathered.most, stderr };
  };
  expect((await callsAtOnce(16, 16)).most).toBe(16);
  expect((await callsAtOnce(100, 100)).most).toBe(100);
  const limited = await callsAtOnce(100, 10, { REHEARSAL_CONCURRENCY_PER_ORIGIN: "10" });
  expect(limited.most).toBe(10);
  expect(limited.stderr).toContain("REHEARSAL_CONCURRENCY_PER_ORIGIN allows 10 calls at once");
});

test("a dry run estimates the time with the concurrency of -j", async () => {
  await using folder = await folderWith({ "all.jsonl": scenarios });
  const parameters = ["eval", "all.jsonl", "--endpoint", "http://127.0.0.1:9/v1", "-m", "m", "--dry-run", "--json"];
  const seconds = async (typed: number): Promise<number> => {
    const { stdout } = await runCli([...parameters, "--no-gate", "-j", String(typed)], { cwd: folder.path });
    return JSON.parse(stdout).runs[0].estimate.seconds.expected;
  };
  expect(await seconds(100)).toBe((await seconds(1)) / 100);
});
