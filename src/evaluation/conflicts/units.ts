/** Each line is one unit, in the forms it is written. A pound is a weight or money. */
const lines = `
seconds second secs sec
minutes minute mins min
hours hour hrs hr h
days day
weeks week
months month
years year
% percent
km kilometers kilometres kilometer kilometre
miles mile
kg kilograms kilogram kilos kilo
pounds pound lbs lb
dollars dollar euros euro pounds pound usd eur gbp
`;

/** form → the first forms of the units that it may be. */
const unitsOf = new Map<string, readonly string[]>();
for (const line of lines.trim().split("\n")) {
  const forms = line.split(" ");
  for (const form of forms) unitsOf.set(form, [...(unitsOf.get(form) ?? []), forms[0] ?? ""]);
}
const money = "dollars";
const anyForm = [...unitsOf.keys()].join("|");
const measured = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:(?<sign>[$€£] ?)(?<price>\d+(?:\.\d+)?)(?![\d%])|(?<number>\d+(?:\.\d+)?)[ -]?(?:business |working |calendar )?(?<form>${anyForm})(?![\p{L}\d]))`,
  "gu",
);

interface Measured {
  readonly text: string;
  readonly number: string;
  readonly units: readonly string[];
}

function measuredIn(text: string): Measured[] {
  if (!/\d/.test(text)) return [];
  return Array.from(text.matchAll(measured), ({ 0: found, groups = {} }) => {
    const { price, number = "", form = "" } = groups;
    return { text: found, number: price ?? number, units: price === undefined ? (unitsOf.get(form) ?? []) : [money] };
  });
}

/** The same number of something else, as in 3 days where the other text has 3 weeks. */
export function unlikeUnits(one: string, other: string): readonly [string[], string[]] {
  const [ours, theirs] = [measuredIn(one), measuredIn(other)];
  const isUnlike = ({ number, units }: Measured, others: readonly Measured[]): boolean => {
    const beside = others.filter((entry) => entry.number === number);
    return beside.length > 0 && beside.every((entry) => !entry.units.some((unit) => units.includes(unit)));
  };
  return [
    ours.filter((entry) => isUnlike(entry, theirs)).map(({ text }) => text),
    theirs.filter((entry) => isUnlike(entry, ours)).map(({ text }) => text),
  ];
}
