import type { z } from "zod";
import type { EvaluationRequest } from "../contract/evaluation-request.ts";

/** Body of POST /evaluate as a caller writes it: only `test_batch`, `endpoint` and `model_id` are required. */
export type EvaluationInput = Omit<z.input<typeof EvaluationRequest>, "attempts"> & {
  /** How often each scenario is run, or until the interval of `overall` is narrow enough. Default 1. */
  attempts?: number | { min?: number; max: number; ci_width: number };
};
