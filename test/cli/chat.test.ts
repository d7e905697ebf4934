import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("chat answers one message, from the command line or a pipe, and saves it as a scenario", async () => {
  await using folder = await temporaryFolder();
  await using services = await runServices();
  const options = { cwd: folder.path, env: { REHEARSAL_AGENT: services.agent } };
  const asked = await runCli(["chat", "What is 17 * 23?", "-m", "demo/scripted", "--save", "chat.yaml"], options);
  expect(asked).toMatchObject({ code: 0, stdout: "17 * 23 is 391.\n" });
  expect(await readFile(folder.file("chat.yaml"), "utf8")).toContain("reference_reply: 17 * 23 is 391.");
  const piped = await runCli(["chat", "--json", "-m", "demo/scripted"], { ...options, input: "What is 2 * 3?\n" });
  expect(JSON.parse(piped.stdout)).toMatchObject({ type: "ai", content: "2 * 3 is 6." });
  const wrong = await runCli(["chat", "Hi", "-m", "nonsense"], options);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toMatch(/^rehearsal: there is no model "nonsense" \(rehearsal models lists them; .*\)\n$/);
});

test("chat exits with 3 when the model cannot be reached, and models then points to doctor", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("rehearsal.yaml"), "limits:\n  upstream_retry_base_ms: 1\n");
  const options = { cwd: folder.path, env: { HUB_BASE_URL: "http://127.0.0.1:9/v1" } };
  const asked = await runCli(["chat", "Hi", "-m", "acme/small"], options);
  expect(asked).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Nothing accepts connections at 127.0.0.1:9."),
  });
  const listed = await runCli(["models"], options);
  expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining("check them with rehearsal doctor") });
});
