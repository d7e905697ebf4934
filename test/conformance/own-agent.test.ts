import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { scriptedModel } from "../../src/agent/testing/scripted-model.ts";
import { readRunner } from "../../src/cli/composition/operator-modules.ts";
import { createCodeHost } from "../../src/runs/user-code/code-host.ts";
import { createLocalTargets } from "../../src/runs/user-code/local-targets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const agent = `
export async function reply(messages, { signal, ask }) {
  signal.throwIfAborted();
  const question = messages.at(-1).content;
  const opinion = ask ? (await ask({ messages })).text : "nobody";
  const call = { name: "search", arguments: { question }, result: "nothing" };
  return { text: \`\${question} I asked \${opinion}.\`, tool_calls: [call] };
}
`;

test.each([
  ["exports reply", agent],
  ["exports an object with reply", `${agent.replace("export ", "")}export default { reply };`],
  ["exports reply twice", `${agent}export default reply;`],
])("a file that %s is evaluated as a target and served as a runner", async (_, source) => {
  await using folder = await temporaryFolder();
  const module = folder.file("agent.mjs");
  await writeFile(module, source);
  const messages = [{ role: "user", content: "Where is my order?" }] as const;
  const { signal } = new AbortController();

  const limits = { timeoutMs: 20_000, memoryMb: 512, processes: 1 };
  await using host = createCodeHost({ limits });
  const targets = createLocalTargets({
    host,
    limits,
    retry: { maximum: 0, baseMs: 1 },
    environment: { PATH: process.env["PATH"] ?? "" },
    variable: () => undefined,
    scrub: (text) => text,
    secrets: [],
  });
  const session = { id: "s-1" };
  expect(await targets.modelOf({ module }, "m")({ messages }, { signal, session })).toMatchObject({
    ok: true,
    text: "Where is my order? I asked nobody.",
    reported_calls: [{ name: "search", arguments: '{"question":"Where is my order?"}', result: "nothing" }],
  });

  const runner = await readRunner(module);
  expect(await runner?.({ model: scriptedModel("a model"), messages, signal })).toMatchObject({
    ok: true,
    reply: { text: "Where is my order? I asked a model." },
    tool_calls: [{ name: "search", args: { question: "Where is my order?" }, ok: true, result: "nothing" }],
  });
});
