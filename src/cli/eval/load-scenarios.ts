import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { configAbove } from "../config/load-config.ts";
import { explainedBreaks } from "../scenarios/lost-scenarios.ts";
import { joinScenarios, noteLine, readScenarioFiles } from "../scenarios/read-scenarios.ts";
import { note } from "../terminal/output.ts";
import type { EvalSettings } from "./eval-settings.ts";
import { requestSettings } from "./request-file.ts";

/** The scenarios of an evaluation, and its settings with what a request file adds to them. */
export async function loadScenarios(
  settings: EvalSettings,
  { skipInvalid }: { skipInvalid: boolean },
): Promise<{ settings: EvalSettings; scenarios: FileScenario[] }> {
  requirePatterns(settings);
  const { patterns, folder, namedIn, ownFiles } = settings;
  const files = await readScenarioFiles(patterns, { folder, namedIn, except: ownFiles });
  const broken = files.flatMap((file) => explainedBreaks(file).map((entry) => noteLine(file.file, entry)));
  if (broken.length > 0 && !skipInvalid) {
    throw new CliError(`${broken.join("\n  ")}\n  (--skip-invalid leaves such scenarios out)`);
  }
  const { settings: request, gate } = requestSettings(files);
  for (const { file, notes } of files) {
    for (const entry of notes) {
      if (request.endpoint !== undefined && entry.message.startsWith("settings of the run")) continue;
      note(noteLine(file, entry));
    }
  }
  if (gate && settings.gates.length > 0) note("The request's own gate is not used: gates were typed or configured.");
  const { model, ...defaults } = request;
  return {
    scenarios: joinScenarios(files),
    settings: {
      ...settings,
      config: { ...defaults, ...settings.config },
      requestGate: settings.gates.length > 0 ? undefined : gate,
      models: settings.models.length > 0 || model === undefined ? settings.models : [model].flat(),
    },
  };
}

export function requirePatterns({ patterns }: EvalSettings): void {
  if (patterns.length > 0) return;
  const above = configAbove(process.cwd());
  if (above !== undefined) {
    throw new CliError(
      `which scenarios? There is no configuration in this folder but one above: cd there, or --config ${above}`,
    );
  }
  throw new CliError("which scenarios? Name files or a folder, or set scenarios in rehearsal.yaml (rehearsal init)");
}
