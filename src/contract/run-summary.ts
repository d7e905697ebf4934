import { z } from "zod";
import { LabelMetrics, ScoreStats } from "./score-stats.ts";
import { Scores } from "./score.ts";
import { Usage } from "./usage.ts";

/** Figures of a whole run, stored when it ends. */
export const RunSummary = z
  .object({
    average_scores: Scores,
    score_stats: z.record(z.string(), ScoreStats),
    label_metrics: z.record(z.string(), LabelMetrics),
    usage: Usage,
    interactions: z.int().min(0),
    failed: z.int().min(0),
  })
  .meta({ id: "RunSummary" });
export type RunSummary = z.infer<typeof RunSummary>;
