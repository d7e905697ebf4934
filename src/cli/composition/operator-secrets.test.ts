import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { operatorSecrets } from "./operator-secrets.ts";

const none = { scorersModule: null, agent: { mcpConfig: null, httpTools: null, runner: null } };
const reveal = async (...options: Parameters<typeof operatorSecrets>) =>
  (await operatorSecrets(...options)).map((secret) => secret.reveal());

test("finds the secrets of MCP servers, HTTP tools and traces", async () => {
  await using folder = await temporaryFolder();
  const wiki = { url: "https://wiki.test/mcp", headers: { Authorization: "Bearer ${WIKI_TOKEN}" } };
  const files = { command: "x", env: { FILES_API_KEY: "written-down", LANG: "en_GB.UTF-8" } };
  await writeFile(folder.file("mcp.json"), JSON.stringify({ mcpServers: { wiki, files } }));
  await writeFile(
    folder.file("tools.yaml"),
    "tools:\n  - name: a\n    headers: { x-api-key: Bearer in-the-file, accept: application/json }\n",
  );
  const agent = { ...none.agent, mcpConfig: folder.file("mcp.json"), httpTools: folder.file("tools.yaml") };
  const variables = {
    WIKI_TOKEN: "wiki-token",
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://traces.test",
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=otlp-key",
    LANGFUSE_PUBLIC_KEY: "pk-public",
    LANGFUSE_SECRET_KEY: "langfuse-key",
  };
  const found = ["wiki-token", "written-down", "in-the-file", "otlp-key", "langfuse-key"];
  expect(await reveal({ ...none, agent }, variables)).toEqual(found);
});

test("finds variables with the name of a secret when a module may read them", async () => {
  const variables = {
    TICKETS_API_KEY: "tickets-key-1",
    db_password: "password-of-db",
    CI_TOKEN: "short",
    KEYBOARD: "us-international",
  };
  const found = ["tickets-key-1", "password-of-db"];
  expect(await reveal(none, variables)).toEqual([]);
  expect(await reveal({ ...none, scorersModule: "scorers.mjs" }, variables)).toEqual(found);
  expect(await reveal({ ...none, agent: { ...none.agent, runner: "runner.js" } }, variables)).toEqual(found);
});

test("ignores files that cannot be read", async () => {
  const agent = { ...none.agent, mcpConfig: "/nowhere/mcp.json" };
  expect(await reveal({ ...none, agent }, { OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" })).toEqual([]);
});
