import { normalize } from "../text/normalize.ts";

/** The form labels are compared in: normalized, with `_`, `-` and space alike. `Order-Status` is `order_status`. */
export function labelKey(label: string): string {
  return normalize(label.replace(/[_\-\u2010-\u2015]+/gu, " "));
}
