/** What is asked of a model: how many calls, and the tokens of all of them together. */
export interface Load {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

export function sumLoads(loads: readonly Load[]): Load {
  return loads.reduce(
    (sum, load) => ({ calls: sum.calls + load.calls, input: sum.input + load.input, output: sum.output + load.output }),
    { calls: 0, input: 0, output: 0 },
  );
}
