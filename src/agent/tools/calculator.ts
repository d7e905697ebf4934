import { defineTool, type Tool } from "../tool.ts";
import { evaluateExpression } from "./evaluate-expression.ts";

/** Works out arithmetic, so that a model need not guess it. */
export function calculator(): Tool {
  return defineTool({
    ours: true,
    name: "calculator",
    description:
      "Evaluates an arithmetic expression: + - * / % ^ ( ), sqrt abs round(x, digits) floor ceil min max log(x, base) ln exp sin cos tan pow(x, y), pi, e. " +
      "Angles are in radians, log is to base 10, results have 15 significant digits.",
    parameters: {
      type: "object",
      properties: { expression: { type: "string", description: "For example (3 + 4) * 2 ^ 10 / sqrt(2)." } },
      required: ["expression"],
      additionalProperties: false,
    },
    run: ({ expression }: { expression: string }) => formatNumber(evaluateExpression(expression)),
  });
}

/** No digit that a double cannot vouch for: exact integers in full, anything else to 15 significant digits. */
export function formatNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  const rounded = Number(value.toPrecision(15));
  if (Math.abs(rounded) < 1e15) return String(rounded);
  return value.toExponential(14).replace(/\.?0+e/, "e");
}
