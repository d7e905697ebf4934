import { compact } from "../../../base/compact.ts";
import type { z } from "zod";
import { toPointer } from "../../../base/json.ts";
import type { Warning } from "../../../contract/errors/problem.ts";
import { unknownFieldsOf } from "../../../contract/schemas/shared/unknown-fields.ts";

/** Longer names are cut. */
const maxNameLength = 80;

/** Warns about each field of `value` that is not in the schema, and names the nearest known field. */
export function unknownFields(schema: z.ZodType, value: unknown): readonly Warning[] {
  return unknownFieldsOf(schema, value).map(({ path, name, nearest }) =>
    compact({
      pointer: toPointer([...path, name]),
      message: `${JSON.stringify(name.slice(0, maxNameLength))} is not a field of this request and was ignored`,
      suggestion: nearest,
    }),
  );
}
