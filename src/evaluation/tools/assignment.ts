/**
 * The one-to-one assignment of rows to columns with the greatest total weight: the column of each row, or -1. As many rows as
 * possible are assigned. Hungarian algorithm with potentials, O(n² m) for n ≤ m.
 */
export function assign(weights: readonly (readonly number[])[]): number[] {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return weights.map(() => -1);
  if (rows > columns) return invert(assign(transpose(weights)), rows);

  // Index 0 of rows and columns is a sentinel; costs are negative weights.
  const rowPotential = new Float64Array(rows + 1);
  const columnPotential = new Float64Array(columns + 1);
  const rowOf = new Int32Array(columns + 1);
  const previous = new Int32Array(columns + 1);
  const slack = new Float64Array(columns + 1);
  const used = new Uint8Array(columns + 1);
  for (let row = 1; row <= rows; row++) {
    slack.fill(Infinity);
    used.fill(0);
    rowOf[0] = row;
    let column = 0;
    do {
      used[column] = 1;
      const current = rowOf[column] as number;
      const costs = weights[current - 1] as readonly number[];
      const potential = rowPotential[current] as number;
      let step = Infinity;
      let next = 0;
      for (let other = 1; other <= columns; other++) {
        if (used[other]) continue;
        const reduced = -(costs[other - 1] as number) - potential - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          previous[other] = column;
        }
        if ((slack[other] as number) < step) {
          step = slack[other] as number;
          next = other;
        }
      }
      for (let other = 0; other <= columns; other++) {
        if (used[other]) {
          rowPotential[rowOf[other] as number]! += step;
          columnPotential[other]! -= step;
        } else slack[other]! -= step;
      }
      column = next;
    } while (rowOf[column] !== 0);
    for (; column !== 0; column = previous[column] as number)
      rowOf[column] = rowOf[previous[column] as number] as number;
  }
  const assigned = weights.map(() => -1);
  for (let column = 1; column <= columns; column++) {
    const row = rowOf[column] as number;
    if (row !== 0) assigned[row - 1] = column - 1;
  }
  return assigned;
}

function transpose(weights: readonly (readonly number[])[]): number[][] {
  return (weights[0] ?? []).map((_, column) => weights.map((row) => row[column] as number));
}

function invert(assigned: readonly number[], length: number): number[] {
  const inverse = Array.from({ length }, () => -1);
  assigned.forEach((row, column) => (inverse[row] = column));
  return inverse;
}
