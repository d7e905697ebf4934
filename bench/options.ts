import { parseArgs } from "node:util";
import type { Size } from "./bench.ts";

export interface Options {
  readonly only: readonly string[];
  readonly repeats: number;
  readonly size: Size;
  readonly peers: boolean;
  readonly json: string | null;
  readonly keep: string | null;
  readonly writeDocs: boolean;
  readonly help: boolean;
}

export const usage = `node bench/main.ts [options]

  --only <name>    one bench; may be given several times
  --repeats <n>    measurements of each subject, taken in turns (default 3)
  --quick          tiny sizes: proves that the benches work, measures nothing
  --full           adds a run of a million interactions
  --peers          installs other tools into a scratch folder and measures them beside us
  --json <file>    where the figures go (default: a new file in the temporary folder)
  --keep <file>    takes the benches that are not measured now from the figures of an earlier run
  --write-docs     puts tables and curves into docs/`;

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: "string", multiple: true },
      repeats: { type: "string" },
      quick: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      json: { type: "string" },
      keep: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const repeats = Number(values.repeats ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new Error(`--repeats must be a whole number from 1 on, not ${values.repeats}`);
  if (values.quick && values["write-docs"])
    throw new Error("--quick measures nothing, so --write-docs would write nothing");
  return {
    only: values.only ?? [],
    repeats,
    size: values.quick ? "quick" : values.full ? "full" : "normal",
    peers: values.peers,
    json: values.json ?? null,
    keep: values.keep ?? null,
    writeDocs: values["write-docs"],
    help: values.help,
  };
}
