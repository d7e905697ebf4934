import { z } from "zod";

/** Which of several runs is carried out first. */
export const Priority = z
  .int()
  .min(-100)
  .max(100)
  .describe(
    "Runs with a higher one are carried out before others, and so are their calls at an endpoint. What is under way is not broken off. Default 0.",
  );
export type Priority = z.infer<typeof Priority>;
