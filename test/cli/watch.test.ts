import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { main } from "./run-cli.ts";

const scenario = (id: string, message: string): string =>
  JSON.stringify({ id, interactions: [{ id: "1", user_message: message, reference_reply: "Yes" }] });

test("watch evaluates, then only what changed, tells mistakes, and ends well at Ctrl-C", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  await writeFile(folder.file("one.json"), scenario("one", "First"));
  await writeFile(folder.file("two.json"), scenario("two", "Second"));
  const parameters = ["watch", "one.json", "two.json", "--endpoint", provider.url, "-m", "m"];
  const env = { PATH: process.env["PATH"] ?? "" };
  const child = spawn(process.execPath, [main, ...parameters], { cwd: folder.path, env });
  const ended = once(child, "exit");
  let stderr = "";
  child.stderr.on("data", (data) => (stderr += String(data)));
  const waiting = (times: number) =>
    vi.waitFor(() => expect(stderr.match(/Waiting for changes/g)).toHaveLength(times), { timeout: 60_000 });
  const asked = () => provider.requests.map(({ body }) => JSON.stringify(body).match(/First|Second|Third/)?.[0]);
  try {
    await waiting(1);
    expect(asked().toSorted()).toEqual(["First", "Second"]);

    await writeFile(folder.file("two.json"), scenario("two", "Third"));
    await waiting(2);
    expect(asked().slice(2)).toEqual(["Third"]);

    await writeFile(folder.file("two.json"), "{");
    await waiting(3);
    expect(stderr).toContain("two.json: line 1");
    expect(provider.requests).toHaveLength(3);
  } finally {
    child.kill("SIGINT");
  }
  expect(await ended).toEqual([0, null]);
});
