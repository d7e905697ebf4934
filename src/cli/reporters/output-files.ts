import type { RunPlace } from "./reporter.ts";

/** With several runs each file carries the run's number. */
export const outputFile = (file: string, run: RunPlace): string =>
  run.of < 2 ? file : file.replace(/(\.[a-z]+)$/i, `-${run.number}$1`);

/** Every file that so many runs write. */
export function outputFiles(outputs: readonly string[], runs: number): string[] {
  const numbers = Array.from({ length: Math.max(runs, 1) }, (_, index) => index + 1);
  return outputs.flatMap((file) => numbers.map((number) => outputFile(file, { number, of: runs })));
}
