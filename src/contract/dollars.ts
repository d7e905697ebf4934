/** A sum of prices as it is told, without what adding fractions in binary leaves: 0.06, not 0.060000000000000005. */
export const toDollars = (sum: number): number => Number(sum.toPrecision(12));
