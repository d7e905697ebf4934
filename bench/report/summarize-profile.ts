import { toText } from "./table.ts";

/** The parts of a V8 processor profile that are read here. Times in microseconds. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const notWork: ReadonlySet<string> = new Set(["(idle)", "(program)", "(root)"]);

/** The ten dearest functions and the ten dearest places (folder or package), by time spent in them themselves. */
export function summarizeProfile(profile: Profile, count = 10): string {
  const byFunction = new Map<string, number>();
  const byPlace = new Map<string, number>();
  const times = selfTimes(profile);
  let total = 0;
  for (const { id, callFrame } of profile.nodes) {
    const time = times.get(id) ?? 0;
    if (notWork.has(callFrame.functionName) || callFrame.url === "node:inspector") continue;
    total += time;
    const place = placeOf(callFrame.url);
    add(byPlace, place.folder || callFrame.functionName, time);
    add(byFunction, `${callFrame.functionName || "(anonymous)"}  ${place.file}:${callFrame.lineNumber + 1}`, time);
  }
  const table = (title: string, entries: ReadonlyMap<string, number>): string => {
    const lines = [...entries]
      .toSorted(([, left], [, right]) => right - left)
      .slice(0, count)
      .map(([name, time]) => [`${((time / total) * 100).toFixed(1)} %`, `${(time / 1000).toFixed(0)} ms`, name]);
    return toText([["share", "self", title], ...lines]);
  };
  return `${(total / 1e6).toFixed(2)} s of work\n\n${table("function", byFunction)}\n\n${table("place", byPlace)}`;
}

function selfTimes({ samples, timeDeltas }: Profile): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const [index, node] of samples.entries()) times.set(node, (times.get(node) ?? 0) + (timeDeltas[index] ?? 0));
  return times;
}

/** `src/storage/queries`, `undici`, `node:internal`; a file inside the project or package. */
function placeOf(url: string): { folder: string; file: string } {
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(url);
  if (dependency) return { folder: dependency[1] ?? "", file: `${dependency[1]}/${dependency[2]}` };
  const own = /\/(src\/.*)$/.exec(url);
  if (own) return { folder: (own[1] ?? "").split("/").slice(0, -1).join("/"), file: own[1] ?? "" };
  return { folder: url.startsWith("node:") ? "node" : url, file: url };
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}
