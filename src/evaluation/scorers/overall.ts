import type { Score } from "../../contract/score.ts";

/**
 * The one figure to look at first: mean of the reply part (mean of `token_f1` and `rouge_l`) and the metadata part
 * (`metadata_match`), or the one of them that exists. The reason names the parts that were used.
 */
export function overall(scores: readonly Score[]): Score {
  const values = new Map(scores.map(({ name, value }) => [name, value]));
  const parts = [
    toPart("reply", ["token_f1", "rouge_l"], values),
    toPart("metadata", ["metadata_match"], values),
  ].filter((part) => part !== null);
  if (parts.length === 0)
    return { name: "overall", value: null, reason: "neither a reference reply nor judged metadata" };

  const value = parts.reduce((sum, part) => sum + part.value, 0) / parts.length;
  return { name: "overall", value, reason: parts.map((part) => part.text).join(" and ") };
}

function toPart(
  title: string,
  names: readonly string[],
  values: ReadonlyMap<string, number | null>,
): { value: number; text: string } | null {
  const used = names.flatMap((name) => {
    const value = values.get(name);
    return value === null || value === undefined ? [] : [{ name, value }];
  });
  if (used.length === 0) return null;
  const value = used.reduce((sum, score) => sum + score.value, 0) / used.length;
  return { value, text: `${title} ${value.toFixed(2)} (${used.map((score) => score.name).join(", ")})` };
}
