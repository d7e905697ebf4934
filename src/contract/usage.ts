import { z } from "zod";

/** Tokens of one model call, or of many added up. */
export const Usage = z
  .object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0), total_tokens: z.int().min(0) })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

export function addUsage(left: Usage, right: Usage | null | undefined): Usage {
  if (!right) return left;
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
  };
}
