import type { z } from "zod";
import type { EvaluationRequest } from "../contract/schemas/evaluation-request.ts";

/** Body of POST /evaluate as a caller writes it: only `test_batch`, `endpoint` and `model_id` are required. */
export type EvaluationInput = z.input<typeof EvaluationRequest>;
