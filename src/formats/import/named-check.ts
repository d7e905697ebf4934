import { reservedPrefixes, reservedScores } from "../../contract/schemas/score-names.ts";
import { TurnCheck } from "../../contract/schemas/scorer-setting.ts";

/** A check by the name its score has elsewhere. A second one of a turn by the same name, or a name we cannot use, goes by its type. */
export function namedCheck(
  check: TurnCheck,
  { name: wanted, beside }: { name: string | undefined; beside: readonly TurnCheck[] },
): TurnCheck {
  const name = wanted?.trim().replace(/[^A-Za-z0-9_.-]+/g, "_");
  if (name === undefined || isTaken(name) || beside.some((other) => other.name === name)) return check;
  const parsed = TurnCheck.safeParse({ ...check, name });
  return parsed.success ? parsed.data : check;
}

/** True for names of other scores: those of the service, and those that checks without a name have. */
const isTaken = (name: string): boolean =>
  reservedScores.has(name) ||
  reservedPrefixes.some((start) => name.startsWith(start)) ||
  TurnCheck.options.some(({ shape }) => name.startsWith(shape.type.value));
