import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { newSeed, sizes } from "../test/support/sizes.ts";

/**
 * Runs the long suites at full size, each in less than an hour:
 *
 *     npm run test:deep
 *     npm run test:deep -- fuzz torture
 *     TEST_SEED=1234 npm run test:deep -- fuzz
 *
 * Without names it runs all of them, one after the other. Every suite uses the printed seed for its generated input. Exits
 * with 1 when a suite failed.
 */
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");

const shards: Readonly<Record<string, readonly string[]>> = {
  fuzz: [vitest, "run", "test/hardening/fuzz"],
  torture: ["scripts/torture.ts", "--cycles", String(sizes.sqliteKills)],
  "torture-postgres": ["scripts/torture.ts", "--postgres", "--cycles", String(sizes.postgresKills)],
  "postgres-servers": ["scripts/test-postgres-servers.ts"],
  "torture-agent": ["scripts/torture.ts", "--agents", "--cycles", String(sizes.sqliteKills)],
  "torture-agent-postgres": ["scripts/torture.ts", "--agents", "--postgres", "--cycles", String(sizes.postgresKills)],
  simulations: [vitest, "run", "test/simulation", "src/evaluation/comparison/simulation.test.ts"],
  faults: [
    vitest,
    "run",
    "test/torture",
    "test/hardening/faults.test.ts",
    "test/hardening/inputs.test.ts",
    "test/services/agent-failures.test.ts",
    "test/docs/library.test.ts",
  ],
  patterns: [vitest, "run", "test/hardening/patterns"],
  page: [vitest, "run", "test/page", "test/docs/site.test.ts"],
  load: [vitest, "run", "test/hardening/load.test.ts", "test/hardening/recovery.test.ts"],
  services: [vitest, "run", "test/services", "test/cli/package.test.ts", "test/cli/deployment-schemas.test.ts"],
  soak: ["scripts/soak.ts", "--minutes", String(sizes.soakMinutes)],
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(shards);
const unknown = names.filter((name) => !Object.hasOwn(shards, name));
if (unknown.length > 0) {
  process.stderr.write(`No such suite: ${unknown.join(", ")}. Use ${Object.keys(shards).join(", ")}.\n`);
  process.exit(64);
}

const seed = String(newSeed("TEST_SEED"));
const seeds = { FUZZ_SEED: seed, TORTURE_SEED: seed, SIMULATION_SEED: seed };

const failed: string[] = [];
for (const name of names) {
  const startedAt = performance.now();
  process.stderr.write(`${name}: started; to repeat it: TEST_SEED=${seed} npm run test:deep -- ${name}\n`);
  const env = { ...seeds, ...process.env };
  const child = spawn(process.execPath, shards[name] ?? [], { cwd: root, stdio: "inherit", env });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) failed.push(name);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  process.stderr.write(`${name}: ${code === 0 ? "passed" : "failed"} after ${minutes} minutes\n`);
}
if (failed.length > 0) process.stderr.write(`Failed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
