import { isRecord, toPointer } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import type { StateDifference } from "../../contract/schemas/acting/world.ts";
import { compileExpected, hasMatchers, type MatchContext } from "./matchers.ts";

export const mostDifferences = 100;

/**
 * Where an actual value differs from the expected one, at most 100 places. With a context, the expected value may have matchers;
 * without one, it is compared as it is.
 */
export function stateDifferences(
  expected: unknown,
  actual: unknown,
  { pointer = "", context }: { readonly pointer?: string; readonly context?: MatchContext } = {},
): StateDifference[] {
  const differences: StateDifference[] = [];
  const note = (path: string, one: unknown, two: unknown): void => {
    differences.push({
      path,
      ...(one !== undefined && { expected: excerpt(one) }),
      ...(two !== undefined && { actual: excerpt(two) }),
    });
  };
  function compareRecords(
    one: Readonly<Record<string, unknown>>,
    two: Readonly<Record<string, unknown>>,
    path: string,
  ): void {
    for (const key of Object.keys(one)) {
      walk(one[key], Object.hasOwn(two, key) ? two[key] : undefined, `${path}${toPointer([key])}`);
    }
    for (const key of Object.keys(two)) {
      if (!Object.hasOwn(one, key)) walk(undefined, two[key], `${path}${toPointer([key])}`);
    }
  }
  function walk(one: unknown, two: unknown, path: string): void {
    if (differences.length >= mostDifferences || one === two) return;
    if (context && isRecord(one) && hasMatchers(one) && Object.keys(one)[0]?.startsWith("$")) {
      if (!compileExpected(one).test(two, context)) note(path, one, two);
    } else if (isRecord(one) && isRecord(two)) compareRecords(one, two, path);
    else if (Array.isArray(one) && Array.isArray(two)) {
      for (let index = 0; index < Math.max(one.length, two.length); index++)
        walk(one[index], two[index], `${path}/${index}`);
    } else if (!context || one === undefined || !compileExpected(one).test(two, context)) note(path, one, two);
  }
  walk(expected, actual, pointer);
  return differences;
}

const mostCharacters = 1_000;

/** A large value as the start of its JSON: differences are stored with every attempt. */
function excerpt(value: unknown): NonNullable<StateDifference["actual"]> {
  const text = JSON.stringify(value);
  return (text.length <= mostCharacters ? value : truncateText(text, mostCharacters)) as NonNullable<
    StateDifference["actual"]
  >;
}
