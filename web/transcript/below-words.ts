/** Why a turn failed. Figures have as many digits as it takes to see that one is below the other. */
export function belowWords(overall: number, threshold: number): string {
  const limit = Number(threshold.toFixed(2)) === threshold ? threshold.toFixed(2) : String(threshold);
  const looksBelow = Number(overall.toFixed(2)) < threshold;
  return `overall ${looksBelow ? "" : `${Math.floor(overall * 10_000) / 10_000} is `}below ${limit}`;
}
