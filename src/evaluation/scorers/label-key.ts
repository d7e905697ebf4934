import { normalize } from "../text/normalize.ts";

/** What joins the words of a label. The sign of a number (`-1`) and of a grade (`A-`) is none: without it they would be another label. */
const joints = /(?!^-\.?\p{Nd}|(?<=[\p{L}\p{N}])-$)[_\-\u2010-\u2015]+/gu;

/** The form labels are compared in: normalized, with `_`, `-` and space alike. `Order-Status` is `order_status`. */
export function labelKey(label: string): string {
  return normalize(label.trim().replace(joints, " "));
}
