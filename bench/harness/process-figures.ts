import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in these for programs. */
const ticksPerSecond = 100;

/** Processor seconds of a live process, all its threads, to a hundredth. */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Processor seconds of every process below this one that has ended so far. */
export function endedCpuSeconds(): number {
  const fields = statFields("self");
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

/** Processor seconds of a live process and its children, alive or ended. */
export function familyCpuSeconds(pid: number): number {
  for (;;) {
    try {
      const fields = statFields(pid);
      const ended = (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
      return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), cpuSeconds(pid) + ended);
    } catch (error) {
      // A child ended in between.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

/** Most memory a process, and those it has started, have held so far, in MB. 0 when it has ended. */
export function peakMegabytes(pid: number): number {
  try {
    const kilobytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    return kilobytes / 1024 + childrenOf(pid).reduce((sum, child) => sum + peakMegabytes(child), 0);
  } catch {
    return 0;
  }
}

/** Fields of /proc/…/stat from the third on: the second, the name, may hold spaces. */
function statFields(pid: number | "self"): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
      .split(" ")
      .filter((text) => text !== "")
      .map(Number),
  );
}
