import { loadConfig } from "../config/load-config.ts";
import { checkGateNames } from "../gates/check-gate-names.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { brokenScenarios } from "../scenarios/lost-scenarios.ts";
import { ownFiles } from "../scenarios/own-files.ts";
import { scorerFaults } from "../scenarios/scorer-faults.ts";
import { joinScenarios, noteLine, readScenarioFiles } from "../scenarios/read-scenarios.ts";
import { ok, problem, type Check } from "./check.ts";

/** The configuration of this folder, with what `eval` would refuse it for before the first call: its checks, gates and scenarios. */
export async function checkConfiguration(): Promise<Check> {
  const loaded = await loadConfig(undefined);
  const { config, folder, file } = loaded;
  if (file === undefined) return ok("configuration", "none in this folder");
  const gates = (config.gates ?? []).map(parseGate);
  const patterns = [config.scenarios ?? []].flat();
  const files = await readScenarioFiles(patterns, { folder, namedIn: file, except: ownFiles(loaded) });
  const [broken] = [
    ...files.flatMap((read) => brokenScenarios(read).map((note) => noteLine(read.file, note))),
    ...scorerFaults({ config, file }, files),
  ];
  if (broken !== undefined) return problem("configuration", broken);
  checkGateNames(gates, { config, scenarios: patterns.length === 0 ? undefined : joinScenarios(files) });
  return ok("configuration", `${file} is valid`);
}
