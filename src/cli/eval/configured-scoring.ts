import type { RescoreInput } from "../../client/rescore-input.ts";
import type { SourceOptions } from "../options.ts";
import { readEvalSettings } from "./eval-settings.ts";
import { loadScenarios } from "./load-scenarios.ts";

/** What a configuration says runs are scored by, and what its scenarios expect. What it does not say is taken away. */
export async function configuredScoring(
  config: string,
  where: SourceOptions,
): Promise<{ replace: RescoreInput; where: SourceOptions }> {
  const typed = await readEvalSettings([], { ...where, config });
  const { settings, scenarios } =
    typed.patterns.length === 0
      ? { settings: typed, scenarios: [] }
      : await loadScenarios(typed, { skipInvalid: false });
  const { scorers, weights, threshold, judge, labeller, label_rules } = settings.config;
  return {
    replace: {
      scorers: scorers ?? null,
      weights: weights ?? null,
      threshold: threshold ?? null,
      judge: judge ?? null,
      labeller: labeller ?? null,
      label_rules: label_rules ?? null,
      ...(scenarios.length > 0 && { test_batch: scenarios }),
    },
    where: { ...where, ...(typed.server !== undefined && { server: typed.server }) },
  };
}
