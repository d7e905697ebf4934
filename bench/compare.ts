import type { Bench } from "./bench.ts";
import { interleave, medianOf } from "./harness/interleave.ts";
import { getJson } from "./load/post-evaluation.ts";
import { fillStore, measureReading } from "./load/stored-runs.ts";

/** Scenarios of one turn and attempts of each of the two runs. */
const sizes = {
  quick: { scenarios: 50, attempts: 4 },
  normal: { scenarios: 1_000, attempts: 100 },
  full: { scenarios: 1_000, attempts: 100 },
} as const;

/** Goal 10: two stored runs held against each other. */
export const compare: Bench = {
  name: "compare",
  title: "Comparing two large runs",
  async run(context) {
    const size = sizes[context.size];
    const dataFolder = await fillStore({ ...size, words: [12, 14] }, context);
    const work = `two runs of ${(size.scenarios * size.attempts).toLocaleString("en")} interactions`;
    const subject = {
      name: "GET /compare",
      run: () =>
        measureReading(
          dataFolder,
          ({ evaluation }, [baseline, candidate]) =>
            getJson(`${evaluation}/compare?baseline=${baseline}&candidate=${candidate}`),
          context,
        ),
    };
    const rows = await interleave(work, [subject], context);
    const value = (metric: "wall_s" | "peak_mb") => medianOf(rows, { work, subject: subject.name, metric });
    return {
      rows,
      goals: [
        { number: 10, what: `comparison of ${work}, s`, value: value("wall_s"), sense: "at most", limit: 2 },
        { number: 10, what: `comparison of ${work}, peak MB`, value: value("peak_mb"), sense: "at most", limit: 300 },
      ],
    };
  },
};
