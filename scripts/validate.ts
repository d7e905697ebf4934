// Checks Rehearsal against data of others: `npm run validate -- --tau-bench <folder> --pandalm <folder>`. Data that is missing is
// skipped with a line.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { validateGrounding } from "./validate/grounding.ts";
import { validatePandalm } from "./validate/pandalm.ts";
import { validateTauBench } from "./validate/tau-bench.ts";

const { values } = parseArgs({
  options: { "tau-bench": { type: "string" }, replay: { type: "boolean" }, pandalm: { type: "string" } },
});
const shared = resolve(import.meta.dirname, "../../shared/data");
const folder = resolve(values["tau-bench"] ?? join(shared, "tau-bench-airline"));
const trajectories = join(folder, "gpt-4o-trajectories.json");

if (!existsSync(trajectories)) console.log(`tau-bench: skipped, because ${trajectories} does not exist`);
else if (!(await validateTauBench(folder, { replayOnly: values.replay ?? false }))) process.exitCode = 1;

if (!validateGrounding(existsSync(trajectories) ? trajectories : null)) process.exitCode = 1;

const pandalm = resolve(values.pandalm ?? join(shared, "pandalm"));
if (!existsSync(join(pandalm, "testset-v1.json"))) console.log(`pandalm: skipped, because ${pandalm} does not exist`);
else if (!validatePandalm(pandalm)) process.exitCode = 1;
