import { shellWord } from "../../base/shell-word.ts";
import { redactEndpoint } from "../../base/secret.ts";
import type { NotWorse } from "../../contract/schemas/comparison.ts";
import { protocols, type ProtocolName } from "../../contract/protocols/protocols.ts";
import { testedEndpoint } from "../plan/endpoints.ts";
import { marginsText, type Margins } from "../../contract/schemas/margins.ts";

interface RunSize {
  readonly model_id: string;
  readonly endpoint: string;
  readonly protocol?: ProtocolName | undefined;
  /** True when the command line started the agent itself: its address is another one each time. */
  readonly own_agent?: boolean | undefined;
}

interface DecidingRunOptions {
  readonly baseline: RunSize;
  readonly candidate: RunSize;
  readonly margins: Margins;
  /** Writes a command line from its words. */
  readonly command?: (words: readonly string[]) => string;
  /** Words of both commands, quoted: files, configuration, location of the runs. */
  readonly words?: readonly string[];
  /** Words that name the target of the candidate, as they were typed. */
  readonly chosen?: readonly string[];
  /** Attempts of the compared runs. */
  readonly attempts?: number;
  /** Scenarios the files have, if more than were run. */
  readonly available?: number;
}

/** The run that would decide an undecided comparison, with its commands; null when it is decided or nothing would decide it. */
export function decidingRun(
  { verdict, measures }: Omit<NotWorse, "next">,
  {
    baseline,
    candidate,
    margins,
    words = [],
    chosen = [],
    attempts: made = 1,
    available = 0,
    ...options
  }: DecidingRunOptions,
): string | null {
  const open = measures.flatMap(({ would_decide, scenarios }) =>
    would_decide ? [{ ...would_decide, scenarios_now: scenarios }] : [],
  );
  // No size decides a measure that cannot be compared, such as a cost without a price.
  const isIncomparable = measures.some(({ effect }) => effect === null);
  if (verdict !== "undecided" || open.length === 0 || isIncomparable) return null;
  const { command = (line) => `rehearsal ${line.join(" ")}` } = options;
  const size = largest(open);
  if (size === null) return null;
  const sample =
    "scenarios" in size && available >= size.scenarios ? ["--sample", `${size.scenarios}`, "--seed", "1"] : [];
  const count = "attempts" in size ? size.attempts : made;
  const attempts = count > 1 ? ["--attempts", `${count}`] : [];
  const endpointOf = ({ endpoint, own_agent = false }: RunSize): string => testedEndpoint(endpoint, own_agent);
  const isElsewhere = endpointOf(baseline) !== endpointOf(candidate);
  const targetOf = (side: RunSize): readonly string[] => {
    if (!isElsewhere) return chosen;
    return side === candidate && chosen.length > 0 ? chosen : targetWords(side);
  };
  const line = (side: RunSize): string[] => [
    "eval",
    ...words,
    ...targetOf(side),
    "--model",
    shellWord(side.model_id),
    ...attempts,
    ...sample,
  ];
  const compared = [...line(candidate), "--baseline", "latest", "--not-worse-by", shellWord(marginsText(margins))];
  return [`${stepText(size, { available, open })}`, `  ${command(line(baseline))}`, `  ${command(compared)}`].join(
    "\n",
  );
}

/** The options that name what was tested. A target of a configuration is named like its run. */
function targetWords({ endpoint, own_agent = false, protocol, model_id }: RunSize): string[] {
  const address = testedEndpoint(endpoint, own_agent);
  const [, kind, program = ""] = /^(command|module):([^]*)$/.exec(address) ?? [];
  if (kind !== undefined) return [kind === "command" ? "--target-command" : "--target", shellWord(program)];
  if (protocol && protocols[protocol].kind === "template") return ["--target", shellWord(model_id)];
  const isUsual = protocol === undefined || protocol === "openai-chat" || own_agent;
  return ["--endpoint", shellWord(redactEndpoint(address)), ...(isUsual ? [] : ["--protocol", protocol])];
}

type ScenarioCount = { readonly scenarios: number } | { readonly attempts: number };

interface OpenMeasure {
  readonly scenarios: number | null;
  readonly attempts: number | null;
  readonly cheaper: "scenarios" | "attempts" | null;
  readonly scenarios_now: number;
}

/** The size that decides every open measure: attempts if they are cheaper for all of them. */
function largest(open: readonly OpenMeasure[]): ScenarioCount | null {
  const most = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : Math.max(...values.map(Number));
  if (open.every(({ cheaper }) => cheaper === "attempts")) {
    const attempts = most(open.map((measure) => measure.attempts));
    if (attempts !== null) return { attempts };
  }
  const scenarios = most(open.map((measure) => measure.scenarios));
  return scenarios === null ? null : { scenarios };
}

function stepText(
  size: ScenarioCount,
  { available, open }: { available: number; open: readonly OpenMeasure[] },
): string {
  if ("attempts" in size) return `To decide it, run both with ${size.attempts} attempts:`;
  if (available >= size.scenarios)
    return `To decide it, run both with ${size.scenarios} of the ${available} scenarios:`;
  const more = size.scenarios - Math.min(...open.map(({ scenarios_now }) => scenarios_now));
  return `To decide it, add about ${more} scenarios (${size.scenarios} in all) and run both again:`;
}
