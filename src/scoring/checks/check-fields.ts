import { z } from "zod";
import { filesOnly } from "./files-only.ts";

export const scoreName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, "must start with a letter and hold letters, digits, _ . - only")
  .optional()
  .describe("Name of the score. Default: the type, numbered when it is used more than once.");

export const checkWeight = z
  .number()
  .min(0)
  .max(1_000_000)
  .optional()
  .describe("Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted.");

/** Code of the user's own: inline, or a function of a file. Only `rehearsal eval` runs it; a request over HTTP cannot bring it. */
export const codeFields = {
  code: z.string().min(1).max(100_000).optional().describe("An expression, or a function body that returns a value."),
  file: z.string().min(1).max(4_096).optional().describe("A module of JavaScript, TypeScript or Python."),
  function: z.string().min(1).max(200).optional().describe("The function of the file. Default: its usual one."),
};

/** {@link hasOneSource} as a JSON schema. */
export const oneSource = [{ required: ["code"] }, { required: ["file"] }];

export const hasOneSource = ({ code, file }: { code?: string | undefined; file?: string | undefined }): boolean =>
  (code === undefined) !== (file === undefined);

export const CodeTransform = z
  .object({ language: z.enum(["javascript", "python"]), ...codeFields })
  .refine(hasOneSource, "must have either code or file")
  .meta({ id: "CodeTransform", oneOf: oneSource });
export type CodeTransform = z.infer<typeof CodeTransform>;

/** The fields of every check but groups. A check whose negation has a name of its own describes `negate` anew. */
export const checkFields = {
  name: scoreName,
  weight: checkWeight,
  transform: z
    .array(CodeTransform)
    .min(1)
    .max(5)
    .optional()
    .describe("Code that changes the reply before it is checked. Only files on the machine of the run may bring it.")
    .register(filesOnly),
  negate: z.boolean().optional().describe("Scores 1 minus the value."),
};
