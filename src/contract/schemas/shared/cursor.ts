import { z } from "zod";

/** Query parameter of every list with pages. Its form is only described: the list says how to get a cursor when it refuses one. */
export const Cursor = z
  .string()
  .max(2000)
  .meta({ pattern: "^[A-Za-z0-9_-]+$" })
  .describe("`next_cursor` of the previous page.");
