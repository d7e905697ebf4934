import type { TurnCheck } from "../../contract/schemas/scorer-setting.ts";
import type { ItemContext } from "../peer-item.ts";
import { anyField, scalarText, textField } from "../records.ts";
import { unpackJson } from "../unpack-json.ts";

/** What a judge shall look for, as one text or a list of them; HealthBench and others have a text with points in its place. */
export function readRubrics(
  cell: unknown,
  { place, collector }: Pick<ItemContext, "place" | "collector">,
): TurnCheck[] {
  const entries = [unpackJson(cell)].flat();
  return entries
    .filter((entry) => scalarText(entry ?? "")?.trim() !== "")
    .flatMap((entry): TurnCheck[] => {
      const text = scalarText(entry) ?? textField(entry, "criterion", "criteria", "rubric", "text", "description");
      const points = Number(anyField(entry, "points", "weight", "score") ?? 1);
      if (points < 0) collector.note("dropped", place, "a rubric whose points are taken away cannot be asked");
      else if (text === undefined || text.trim() === "") collector.note("dropped", place, "a rubric without a text");
      else {
        if (points !== 1) collector.note("changed", place, "rubrics count alike here; their points were left out");
        return [{ type: "rubric", text }];
      }
      return [];
    });
}
