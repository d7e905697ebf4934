import { AsyncLocalStorage } from "node:async_hooks";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ChatModel, ReplyError } from "../../contract/ports/chat-model.ts";
import type { Outbound, OutboundRequest, OutboundResult } from "./outbound.ts";

/** The part of a failed answer that is kept: its beginning, or `message` and `param` of a request that the upstream rejected. */
export interface ErrorTextOptions {
  readonly kept: "answer" | "rejection";
  /** Removes secrets. */
  readonly clean: (text: string) => string;
}

/** Characters of a failed answer that are kept. */
const keptCharacters = 2_000;
/** Characters that are read: secrets are removed before the text is cut, so that no half of one is left. */
const readCharacters = 100_000;

/** The words of the upstream in the call under way: the last answer, or the end of its stream. */
const heard = new AsyncLocalStorage<{ text: string | null }>();
const listening = new WeakMap<Outbound, Outbound>();

/** Notes the message of an error inside an answer, which says more than the answer as a whole. */
export function noteErrorText(text: unknown): void {
  const call = heard.getStore();
  if (call && typeof text === "string" && text !== "") call.text = text.slice(0, readCharacters);
}

/** The same client, which remembers the last answer of a call of `withErrorText`. */
export function listenToErrors(outbound: Outbound): Outbound {
  const known = listening.get(outbound);
  if (known) return known;
  const request = async (asked: OutboundRequest): Promise<OutboundResult> => {
    const result = await outbound.request({
      ...asked,
      explainFailure(response) {
        noteErrorText(response.body);
        return asked.explainFailure?.(response) ?? null;
      },
    });
    if (!result.ok) return result;
    if (result.kind === "body") noteErrorText(result.body);
    return result.kind === "body" ? result : { ...result, stream: remembered(result.stream) };
  };
  const wrapped = { ...outbound, request: request as Outbound["request"] };
  listening.set(outbound, wrapped);
  return wrapped;
}

/** A stream that fails says why at its end. */
async function* remembered(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined, undefined> {
  let last = Buffer.alloc(0);
  for await (const chunk of stream) {
    last = Buffer.concat([last, chunk]).subarray(-keptCharacters);
    noteErrorText(last.toString());
    yield chunk;
  }
}

/** A failed reply says what the upstream answered, without secrets and cut. Without options, it does not. */
export function withErrorText(model: ChatModel, options: ErrorTextOptions | undefined): ChatModel {
  if (!options) return model;
  return async (request, asked) => {
    const call: { text: string | null } = { text: null };
    const reply = await heard.run(call, () => model(request, asked));
    // Without a status, nothing was answered in the last try.
    if (reply.ok || call.text === null || reply.error.upstream_status === null) return reply;
    const said =
      options.kept === "answer" ? beginningOf(call.text, options) : rejectionIn(call.text, reply.error, options);
    return { ...reply, error: { ...reply.error, ...said } };
  };
}

function beginningOf(text: string, { clean }: ErrorTextOptions): Pick<ReplyError, "upstream_message"> {
  const upstream_message = shorten(clean(text), keptCharacters);
  return upstream_message === "" ? {} : { upstream_message };
}

/** Only a rejected request is the client's to mend. Other failures concern the operator. */
function rejectionIn(
  text: string,
  { code, upstream_status: status }: ReplyError,
  { clean }: ErrorTextOptions,
): Pick<ReplyError, "upstream_error"> {
  if (code !== "upstream_rejected" || (status !== 400 && status !== 422)) return {};
  const { message, param } = openAiError(text);
  if (typeof message !== "string" || message === "") return {};
  const place = typeof param === "string" && param !== "" ? shorten(clean(param), 200) : null;
  return { upstream_error: { message: shorten(clean(message), 1_000), param: place } };
}

const shorten = (text: string, longest: number): string =>
  withoutControls(text).trim().slice(0, longest).toWellFormed();

function openAiError(text: string): JsonRecord {
  try {
    const answer = JSON.parse(text) as unknown;
    if (!isRecord(answer)) return {};
    return isRecord(answer["error"]) ? answer["error"] : answer;
  } catch {
    return {};
  }
}

/** Without characters that would act on a terminal or a file. */
const withoutControls = (text: string): string =>
  text.replaceAll(/[^\t\n\P{Cc}]|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, "");
