import { parseArgs } from "node:util";
import type { Size } from "./bench.ts";

export interface Options {
  readonly only: readonly string[];
  readonly repeats: number;
  readonly size: Size;
  readonly peers: boolean;
  readonly json: string | null;
  readonly writeDocs: boolean;
  readonly help: boolean;
}

export const usage = `node bench/main.ts [options]

  --only <name>    one bench; may be given several times
  --repeats <n>    measurements of each subject, taken in turns (default 3)
  --quick          tiny sizes: proves that the benches work, measures nothing
  --full           adds runs of a million interactions
  --no-peers       leaves out other tools, which are installed into the temporary folder and measured beside us
  --json <file>    where the figures go (default: a new file in the temporary folder)
  --write-docs     puts tables and curves into docs/, from a run of every bench`;

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: "string", multiple: true },
      repeats: { type: "string" },
      quick: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      "no-peers": { type: "boolean", default: false },
      json: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const repeats = Number(values.repeats ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new Error(`--repeats must be a whole number from 1 on, not ${values.repeats}`);
  if (values.quick && values["write-docs"])
    throw new Error("--quick measures nothing, so --write-docs would write nothing");
  if (values.only && values["write-docs"])
    throw new Error("--write-docs writes the figures of one run of every bench: leave out --only");
  return {
    only: values.only ?? [],
    repeats,
    size: values.quick ? "quick" : values.full ? "full" : "normal",
    // Their installation takes longer than every bench in its quick size.
    peers: !values["no-peers"] && !values.quick,
    json: values.json ?? null,
    writeDocs: values["write-docs"],
    help: values.help,
  };
}
