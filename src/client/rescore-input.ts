import type { z } from "zod";
import type { RescoreRequest } from "../contract/schemas/evaluation-request.ts";

/** What a run is to be scored by from now on, as a caller writes it. What is left out stays as it is; null takes it away. */
export type RescoreInput = Omit<z.input<typeof RescoreRequest>, "ask_models">;
