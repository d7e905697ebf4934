// Fails on a known advisory against what we ship. `npm run audit`: where the registry has no advisories to ask, it says so and passes;
// with CI set it fails, so that a silent registry is not taken for a clean one.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const options = { cwd: join(import.meta.dirname, ".."), encoding: "utf8", maxBuffer: 2 ** 26 };
const { stdout } = spawnSync("npm", ["audit", "--json", "--omit=dev", "--package-lock-only"], options);
const report = parsed(stdout);
if (!report?.vulnerabilities) {
  process.stderr.write(`The registry answers no audit: ${report?.message ?? report?.error?.summary ?? "no answer"}\n`);
  process.exit(process.env.CI ? 1 : 0);
}
const found = Object.values(report.vulnerabilities);
for (const { name, severity, range } of found) process.stderr.write(`${name} ${range}: ${severity}\n`);
process.stdout.write(`${found.length} advisories against ${report.metadata?.dependencies?.prod ?? "the"} packages\n`);
process.exit(found.length > 0 ? 1 : 0);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
