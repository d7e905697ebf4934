import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { isGeneratedKey } from "../../src/services/http/auth/key-store.ts";
import { parseApiKeys } from "../../src/settings/api-keys.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("keys are shown once, listed without their value, and can be revoked", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const made = await runCli(["keys", "create", "ci", "--scopes", "evaluate,runs:read"], { cwd });
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^rh_\w{8}_[\w-]{43}\n$/);
  expect((await stat(folder.file(".rehearsal"))).mode & 0o777).toBe(0o700);
  const list = await runCli(["keys", "list", "--json"], { cwd });
  const [{ id, owner }] = JSON.parse(list.stdout).keys;
  expect(owner).toBe("ci");
  expect(list.stdout).not.toContain(made.stdout.trim().slice(12));
  expect((await runCli(["keys", "revoke", id], { cwd })).stdout).toBe(`revoked ${id}\n`);
  expect((await runCli(["keys", "revoke", "nothing1"], { cwd })).code).toBe(2);
  // The whole key in place of its id.
  expect((await runCli(["keys", "revoke", made.stdout.trim()], { cwd })).stderr).toBe(
    'rehearsal: there is no key "[redacted]" (rehearsal keys list shows the ids)\n',
  );
  expect((await runCli(["keys", "create", "x", "--scopes", "everything"], { cwd })).code).toBe(2);
  for (const day of ["2099-02-31", "20277-12-31"])
    expect((await runCli(["keys", "create", "x", "--expires", day], { cwd })).code).toBe(2);
});

test.each([
  [["list", "ci"], 'keys list shows all keys: leave out "ci"'],
  [["revoke", "abcdefgh", "--expires", "2099-12-31"], "--expires is for keys create"],
  [
    ["create", "ci", "--entry", "--expires", "2099-12-31"],
    "--expires cannot be used with --entry: a key of REHEARSAL_API_KEYS is valid until its entry is removed",
  ],
])("keys %j is refused with the reason", async (parameters, message) => {
  await using folder = await temporaryFolder();
  const ended = await runCli(["keys", ...parameters], { cwd: folder.path });
  expect(ended).toEqual({ code: 2, stdout: "", stderr: `rehearsal: ${message}\n` });
});

test("keys create --entry makes a random key for the environment", async () => {
  await using folder = await temporaryFolder();
  const made = await runCli(["keys", "create", "ci", "--entry", "--json"], { cwd: folder.path });
  const { key, entry } = JSON.parse(made.stdout) as { key: string; entry: string };
  expect(isGeneratedKey(key)).toBe(true);
  expect(parseApiKeys(entry)).toMatchObject([{ name: "ci", sha256: createHash("sha256").update(key).digest("hex") }]);
  expect(JSON.parse((await runCli(["keys", "list", "--json"], { cwd: folder.path })).stdout)).toEqual({ keys: [] });
});

test.each([
  { REHEARSAL_HOST: "0.0.0.0" },
  { REHEARSAL_ALLOWED_HOSTS: "eval.example.com", REHEARSAL_EVAL_PUBLIC_URL: "https://eval.example.com" },
])("with %j only serve needs a key, other commands do not", async (env) => {
  await using folder = await temporaryFolder();
  const options = { cwd: folder.path, env };
  expect((await runCli(["serve"], options)).stderr).toContain('create one with "rehearsal keys create"');
  for (const parameters of [
    ["runs", "list"],
    ["keys", "list"],
    ["keys", "create", "ci"],
  ]) {
    expect(await runCli(parameters, options)).toMatchObject({ code: 0 });
  }
});
