import type { JsonRecord } from "../../../base/json.ts";
import type { Choices } from "../../../scoring/checks/rubric.ts";
import { readMessage } from "../../shared/read-messages.ts";
import { anyField, isTextList, listField, recordField, scalarText, textField } from "../../documents/records.ts";
import { fillTemplate, replyPart, referenceText, type Filled } from "./fill-template.ts";
import { dropGrader, missingFields, type Grader, type NamedGrader } from "./grader.ts";

interface ModelGrader extends NamedGrader {
  readonly type: "score_model" | "label_model";
}

/** Converts a model grader to a rubric for the run's judge, whose prompt already contains the reply. */
export function modelGrader(value: JsonRecord, { type, name, context }: ModelGrader): Grader[] {
  const answers = type === "label_model" ? labelChoices(value) : scoreChoices(value);
  if (typeof answers === "string") return dropGrader(answers, { name, context });
  const messages = (listField(value, "input") ?? []).map(readMessage).filter((message) => message !== undefined);
  const left = [...new Set(messages.flatMap(({ lost }) => lost))];
  const { collector, place } = context;
  if (left.length > 0)
    collector.note("dropped", place, `grader ${JSON.stringify(name)}: only text is kept; dropped: ${left.join(", ")}`);
  const settings = Object.entries(recordField(value, "sampling_params") ?? {})
    .filter(([, setting]) => setting !== null)
    .map(([key, setting]) => `${key} ${scalarText(setting) ?? JSON.stringify(setting)}`);
  const model = [textField(value, "model") ?? "another model", ...(settings.length > 0 ? [settings.join(", ")] : [])];
  collector.note(
    "changed",
    place,
    `grader ${JSON.stringify(name)} became a rubric for the judge of the run (${answers.summary}); it used ${model.join(" with ")}: set judge.model_id to keep that model`,
  );
  const isDialogue = messages.some(({ role }) => role === "assistant");
  const grade: Grader["grade"] = ({ item, reply }) => {
    const texts = messages.map(({ role, text }) => ({ role, ...fillTemplate(text, item, reply) }));
    const missing = texts.flatMap((text) => text.missing);
    if (missing.length > 0) return { absent: missingFields(missing) };
    const unknown = texts
      .flatMap(({ pieces }) => pieces)
      .find((piece) => typeof piece === "object" && !replyPart(piece));
    if (typeof unknown === "object") return { lost: `reads ${referenceText(unknown)}, which the judge does not see` };
    const said = texts.map(
      ({ role, pieces }) => `${isDialogue ? `${role}: ` : ""}${pieces.map(forJudge).join("").trim()}`,
    );
    const text = said.filter((part) => part !== "").join("\n\n");
    if (text === "") return { lost: "has no text" };
    if (text.length > longestRubric) return { absent: `has more than ${longestRubric} characters` };
    return { check: { type: "rubric", text, choices: answers.choices } };
  };
  return [{ name, context, grade }];
}

const longestRubric = 20_000;

/** The judge sees the reply in a block of this name. */
function forJudge(piece: Filled["pieces"][number]): string {
  if (typeof piece === "string") return piece;
  const part = replyPart(piece);
  return part?.kind === "json" && part.path.length > 0
    ? `(${part.path.join(".")} of the JSON in reply_to_judge)`
    : "(reply_to_judge)";
}

interface GraderAnswers {
  readonly choices: Choices;
  readonly summary: string;
}

const mostChoices = 20;

function labelChoices(value: JsonRecord): GraderAnswers | string {
  const [labels, passing] = [listField(value, "labels"), listField(value, "passing_labels") ?? []];
  if (!isTextList(labels)) return "has no labels";
  const distinct = [...new Set(labels)];
  if (distinct.some((label) => label === "" || label.length > 64))
    return "has a label that is empty or longer than 64 characters";
  if (distinct.length < 2 || distinct.length > mostChoices)
    return `has ${distinct.length} labels; a judge chooses from 2 to ${mostChoices}`;
  const choices = Object.fromEntries(distinct.map((label) => [label, passing.includes(label) ? 1 : 0]));
  return { choices, summary: `${passing.join(", ")} 1, any other label 0` };
}

/** The judge chooses from a list of scores: the integers of a short range, or eleven steps. A threshold turns them into pass and fail. */
function scoreChoices(value: JsonRecord): GraderAnswers | string {
  const [low = 0, high = 1] = (listField(value, "range") ?? []).filter((end) => typeof end === "number");
  if (!(low < high)) return "has an empty range";
  const isWhole = Number.isInteger(low) && Number.isInteger(high) && high - low > 1 && high - low < mostChoices;
  const count = isWhole ? high - low : 10;
  const scores = Array.from({ length: count + 1 }, (_, index) =>
    Number((low + (index * (high - low)) / count).toFixed(6)),
  );
  const threshold = anyField(value, "pass_threshold");
  const isPassed = (score: number): boolean => typeof threshold === "number" && score >= threshold;
  const divides = scores.some(isPassed) && !scores.every(isPassed);
  const share = (score: number): number => (divides ? Number(isPassed(score)) : (score - low) / (high - low));
  const steps = isWhole ? "" : ` in steps of ${Number(((high - low) / count).toFixed(6))}`;
  const passes = divides ? `${scalarText(threshold)} and more is 1, less is 0` : "as a share of the range";
  const unused =
    !divides && threshold !== undefined ? `; the pass_threshold ${JSON.stringify(threshold)} separates no scores` : "";
  return {
    choices: Object.fromEntries(scores.map((score) => [String(score), share(score)])),
    summary: `${low} to ${high}${steps}, ${passes}${unused}`,
  };
}
