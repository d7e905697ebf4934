import { z } from "zod";

/** Figures of a call that can be compared like scores. */
export const callFigures = { latency: "latency_ms", cost: "cost_per_turn" } as const;

/** Share of attempts that pass, compared like a score. */
export const passRateMeasure = "pass_rate";

/** Figures whose margin is a share of the baseline's: lower is better, and they have no upper end. */
export const ratioMeasures: ReadonlySet<string> = new Set(Object.values(callFigures));

/** Why a margin cannot be used; null when it can. */
function marginProblem(name: string, margin: number): string | null {
  if (!(margin > 0)) return `the margin of ${name} must be above 0: no number of scenarios shows that nothing is lost`;
  const most = ratioMeasures.has(name) ? 10 : 1;
  return margin < most ? null : `the margin of ${name} must be below ${most}, such as 0.02 or 2%`;
}

const marginBelow = (most: number) => ({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: most }) as const;

const Margin = z
  .number()
  .superRefine((margin, context) => {
    const message = marginProblem("overall", margin);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ exclusiveMinimum: 0, exclusiveMaximum: 1 });

const MarginsByName = z
  .record(z.string().min(1).max(200), z.number())
  .superRefine((margins, context) => {
    if (Object.keys(margins).length === 0)
      context.addIssue({ code: "custom", message: "must name at least one score" });
    for (const [name, margin] of Object.entries(margins)) {
      const message = marginProblem(name, margin);
      if (message !== null) context.addIssue({ code: "custom", path: [name], message });
    }
  })
  .meta({
    minProperties: 1,
    properties: Object.fromEntries([...ratioMeasures].map((name) => [name, marginBelow(10)])),
    additionalProperties: marginBelow(1),
  });

/** The accepted loss of `overall`, or by score; for `latency_ms` and `cost_per_turn`, the accepted share of increase. */
export const NotWorseBy = z.union([Margin, MarginsByName]).meta({ id: "NotWorseBy" });
export type NotWorseBy = z.infer<typeof NotWorseBy>;

/** The accepted loss by measure. */
export type Margins = Readonly<Record<string, number>>;

/** How an undecided comparison counts. */
export const Undecided = z.enum(["fail", "pass"]).meta({ id: "Undecided" });
export type Undecided = z.infer<typeof Undecided>;

const marginPattern = "(?:[^=,]*[^=, ] *=)? *[0-9]*[.]?[0-9]+ *%?";
/** The form of margins in a text, without the ranges of their figures. */
export const marginsPattern = `^ *${marginPattern}(?: *, *${marginPattern})* *$`;

const form = /^(?:(?<name>[^=,]*[^=,\s])\s*=)?\s*(?<figure>\d+(?:\.\d+)?|\.\d+)\s*(?<percent>%)?$/;

/**
 * Reads `0.02`, `2%` or `overall=0.02,success=5%,latency_ms=10%`; a margin without a name is one of `overall`. Returns a message
 * when it cannot be read.
 */
export function parseMargins(text: string): Margins | string {
  const margins = new Map<string, number>();
  for (const part of text.split(",").map((entry) => entry.trim())) {
    const { name = "overall", figure, percent } = form.exec(part)?.groups ?? {};
    if (figure === undefined)
      return `"${part}" cannot be read: write a margin like 0.02 or 2%, or one for each score like overall=0.02,success=5%`;
    const margin = Number(figure) / (percent === undefined ? 1 : 100);
    const problem = marginProblem(name.trim(), margin);
    if (problem !== null) return problem;
    if (margins.has(name.trim())) return `${name.trim()} has two margins: give one`;
    margins.set(name.trim(), margin);
  }
  return Object.fromEntries(margins);
}

/** The margins of a gate or a configuration, where a number is one of `overall`. */
export const toMargins = (value: NotWorseBy): Margins => (typeof value === "number" ? { overall: value } : value);

/** Margins as an option takes them: `0.02`, or `overall=0.02,success=0.05`. */
export function marginsText(margins: Margins): string {
  const entries = Object.entries(margins);
  const [only] = entries;
  if (only && entries.length === 1 && only[0] === "overall") return String(only[1]);
  return entries.map(([name, margin]) => `${name}=${margin}`).join(",");
}
