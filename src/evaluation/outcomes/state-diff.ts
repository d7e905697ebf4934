import { compact } from "../../base/compact.ts";
import { isRecord, toPointer, type JsonRecord } from "../../base/json.ts";
import { jsonStart } from "../../base/json-size.ts";
import { truncateText } from "../../base/text.ts";
import type { StateDifference } from "../../contract/schemas/acting/world.ts";
import { compileExpected, isMatcher, type MatchContext } from "../tools/matchers.ts";

export const mostDifferences = 100;

interface DifferenceOptions {
  /** The place of both values. */
  readonly pointer: string;
  readonly context: MatchContext;
  /** False: the expected value is compared as it is. */
  readonly hasMatchers: boolean;
}

/** Where an actual value differs from the expected one, at most 100 places. */
export function stateDifferences(
  expected: unknown,
  actual: unknown,
  { pointer, context, hasMatchers }: DifferenceOptions,
): StateDifference[] {
  const differences: StateDifference[] = [];
  /** From the given place to the values that are compared. */
  const path: string[] = [];

  function compareMembers(one: JsonRecord | readonly unknown[], two: JsonRecord | readonly unknown[]): void {
    const keys = Array.isArray(one)
      ? Array.from({ length: Math.max(one.length, (two as readonly unknown[]).length) }, (_, index) => String(index))
      : [...Object.keys(one), ...Object.keys(two).filter((key) => !Object.hasOwn(one, key))];
    context.probes.count(keys.length);
    for (const key of keys) {
      if (differences.length >= mostDifferences) return;
      path.push(key);
      compare(ownField(one, key), ownField(two, key));
      path.pop();
    }
  }
  function compare(one: unknown, two: unknown): void {
    if (one === two) return;
    if (!(hasMatchers && isMatcher(one))) {
      if (isRecord(one) && isRecord(two)) return compareMembers(one, two);
      if (Array.isArray(one) && Array.isArray(two)) return compareMembers(one, two);
    }
    if (hasMatchers && one !== undefined && compileExpected(one).test(two, context)) return;
    differences.push(
      compact({
        path: `${pointer}${toPointer(path)}`,
        expected: one === undefined ? undefined : excerpt(one),
        actual: two === undefined ? undefined : excerpt(two),
      }),
    );
  }
  compare(expected, actual);
  return differences;
}

function ownField(container: JsonRecord | readonly unknown[], key: string): unknown {
  return Object.hasOwn(container, key) ? (container as JsonRecord)[key] : undefined;
}

const mostCharacters = 1_000;

/** A large value as the start of its JSON: differences are stored with every attempt. */
function excerpt(value: unknown): NonNullable<StateDifference["actual"]> {
  const text = jsonStart(value, mostCharacters);
  return (text.length <= mostCharacters ? value : truncateText(text, mostCharacters)) as NonNullable<
    StateDifference["actual"]
  >;
}
