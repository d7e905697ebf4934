import { isRecord } from "../../base/json.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import { createModelMemory } from "./model-memory.ts";
import { parseJson } from "./parse-json.ts";

/** How a reply is asked for: as a stream that tells its tokens at the end, as any stream, or in one piece. */
export type StreamForm = "with-usage" | "plain" | "none";

const remembered = createModelMemory<StreamForm>();

/** One model at one address: what another one behind the same hub refuses says nothing about it. */
interface StreamTarget {
  readonly url: string;
  readonly modelId: string;
}

/** The best form of streaming that a model has not refused. */
export function streamFormOf(outbound: Outbound, target: StreamTarget): StreamForm {
  return remembered.get(outbound, keyOf(target)) ?? "with-usage";
}

/** Call it once the form has brought a reply: a refusal alone does not prove that another form would do better. */
export function rememberStreamForm(outbound: Outbound, target: StreamTarget, form: StreamForm): void {
  remembered.set(outbound, keyOf(target), form);
}

function keyOf({ url, modelId }: StreamTarget): string {
  return `${url} ${modelId}`;
}

/** The form that is left when a server refuses a request because of how it was to stream. Null: it refuses something else. */
export function formLeft(
  { status, body }: FailedResponse,
  { form, modelId }: { form: StreamForm; modelId: string },
): StreamForm | null {
  if (form === "none" || ![400, 404, 405, 406, 415, 422, 501].includes(status)) return null;
  const said = withoutName(complaint(body), modelId.toLowerCase());
  const isAboutUsage = /\b(?:stream_options|include_usage)\b/.test(said);
  // Without these options in the request, a complaint about them is about something else.
  if (isAboutUsage) return form === "with-usage" ? "plain" : null;
  return /\b(?:stream|streaming)\b/.test(said) ? "none" : null;
}

/** A model may have "stream" in its name, and a refusal may name the model. */
function withoutName(text: string, name: string): string {
  return name.includes("stream") ? text.replaceAll(name, "") : text;
}

/** What a refusal says in its own words, in lower case. Only searched, never passed on. */
function complaint(body: string): string {
  const answer = parseJson(body);
  const texts = isRecord(answer) || Array.isArray(answer) ? textsOf(answer) : [body];
  return texts.join("\n").slice(0, 2_000).toLowerCase();
}

/** Where servers write what is wrong. Some repeat the request beside it, which always speaks of streaming. */
const tellingFields = new Set("error errors message detail msg loc param code type title metadata raw".split(" "));

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => (tellingFields.has(key) ? textsOf(part) : []));
}
