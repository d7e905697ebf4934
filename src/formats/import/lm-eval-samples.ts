import { isRecord, type JsonRecord } from "../../contract/json-record.ts";
import { field, listField, recordField, scalarText } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { unpackJson } from "../unpack-json.ts";
import type { Item } from "./importer.ts";

const isSample = (value: unknown): value is JsonRecord =>
  isRecord(value) && ["doc", "target", "arguments", "resps"].every((name) => name in value);

/**
 * The samples that EleutherAI's lm-eval logs, as rows: the prompt as it was sent, the target, and the reply of then. Each filter of a task
 * logs the same samples once more. Items of any other file as they are.
 */
export function lmEvalSamples(items: readonly Item[], collector: ScenarioCollector): Item[] {
  const seen = new Set<string>();
  return items.flatMap(({ value, place }) => {
    if (!isSample(value)) return [{ value, place }];
    const key = scalarText(value["doc_id"]) ?? JSON.stringify(value["doc"]);
    const [prompt, settings] = argumentsOf(value);
    const why = seen.has(key)
      ? `the reply as the filter ${scalarText(value["filter"]) ?? "?"} reads it; the sample is here already`
      : isRecord(settings)
        ? undefined
        : "the sample asks for probabilities of given answers, not for a reply";
    seen.add(key);
    if (why !== undefined) {
      collector.note("dropped", place, why);
      return [];
    }
    const [reply] = [value["resps"]].flat(2);
    return [
      { place, value: { id: value["doc_id"], input: asked(prompt), expected: value["target"], agent_reply: reply } },
    ];
  });
}

/** What the first request of a sample was made with: by name, or in older logs in a list. */
function argumentsOf(sample: JsonRecord): unknown[] {
  const [listed] = listField(sample, "arguments") ?? [];
  if (Array.isArray(listed)) return listed;
  const first = field(recordField(sample, "arguments"), "gen_args_0");
  return [field(first, "arg_0"), field(first, "arg_1")];
}

/** A text, or the messages of a chat in JSON, which stand in a list. */
const asked = (prompt: unknown): unknown =>
  unpackJson(Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt);
