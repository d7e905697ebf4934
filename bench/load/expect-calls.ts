import type { BenchContext, Figures, Subject } from "../bench.ts";

/** Makes a measurement count only when the model was called as often as it should have been: no retries, nothing left out. */
export function expectCalls(
  subject: Subject,
  { endpoint, calls, model }: { endpoint: string; calls: number; model: BenchContext["model"] },
): Subject {
  const callsSoFar = async (): Promise<number> => (await model.counts()).get(endpoint)?.calls ?? 0;
  return {
    ...subject,
    async run(): Promise<Figures> {
      const before = await callsSoFar();
      const figures = await subject.run();
      const made = (await callsSoFar()) - before;
      if (made !== calls) throw new Error(`${made} calls were made instead of ${calls}`);
      return figures;
    },
  };
}
