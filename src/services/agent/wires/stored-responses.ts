import { compact } from "../../../base/compact.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentResponses, StoredResponse } from "../../../contract/ports/agent-memory.ts";
import type {
  ResponseBody,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseRequest,
} from "../../../contract/schemas/wires/openai-responses.ts";
import { openResponse, responseId, runOfId, type ResponseHead, type SentItem } from "./openai-responses.ts";
import { fieldError } from "./read-turn.ts";

/** What a request for a response says with the help of stored ones. */
export interface ReadInput {
  /** The items of all responses that this one continues. */
  readonly before: readonly SentItem[];
  /** The new items; references are replaced by what they stand for. */
  readonly items: readonly SentItem[];
  /** The run of the response that this one continues. */
  readonly previous: string | null;
}

type Response = StoredResponse<StoredHead, ResponseBody>;

/** The request of a stored response: its input has no references. */
interface StoredHead extends ResponseHead {
  readonly request: ResponseRequest & { readonly input: readonly SentItem[] };
}

/** Reads the input of a request. Responses of other owners are unknown, as those that were deleted. */
export async function readInput(
  request: ResponseRequest,
  { responses, owner }: { responses: AgentResponses; owner: string | null },
): Promise<ReadInput> {
  const { input, previous_response_id: previousId } = request;
  const sent: readonly ResponseInputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const items = await withoutReferences(sent, { responses, owner });
  if (previousId == null) return { before: [], items, previous: null };
  const pointer = "/previous_response_id";
  if (request.conversation != null) throw fieldError(pointer, "cannot be combined with conversation: send one of them");
  const previous = runOfId(previousId);
  const found = previous === null ? null : await responses.chain(previous, owner);
  if (previous === null || !found) throw unknownResponse(previousId, pointer);
  const chain = found as readonly Response[];
  const thread = chain.find(({ threadId }) => threadId !== null)?.threadId;
  if (thread != null) throw fieldError(pointer, `belongs to the conversation ${thread}: send that as conversation`);
  const before = chain.flatMap((response) => [...response.request.request.input, ...bodyOf(response, pointer).output]);
  return { before, items, previous };
}

async function withoutReferences(
  sent: readonly ResponseInputItem[],
  { responses, owner }: { responses: AgentResponses; owner: string | null },
): Promise<SentItem[]> {
  const runs = new Set(sent.flatMap((item) => (isReference(item) ? (runOfId(item.id) ?? []) : [])));
  const found = runs.size === 0 ? [] : await responses.many([...runs], owner);
  const known = new Map((found as readonly Response[]).map((response) => [response.runId, response]));
  /** Reasoning is stored as one item, and streamed as several. */
  const taken = new Set<ResponseOutputItem>();
  return sent.flatMap((item, index): SentItem[] => {
    if (!isReference(item)) return [item];
    const pointer = `/input/${index}/id`;
    const response = known.get(runOfId(item.id) ?? "");
    if (!response) throw unknownResponse(item.id, pointer);
    const { output } = bodyOf(response, pointer);
    const isReasoning = item.id.startsWith("rs_");
    const meant = output.find(({ id, type }) => (isReasoning ? type === "reasoning" : id === item.id));
    if (!meant && !isReasoning) throw unknownResponse(item.id, pointer);
    if (!meant || (isReasoning && taken.has(meant))) return [];
    taken.add(meant);
    return [meant];
  });
}

function isReference(item: ResponseInputItem): item is Extract<ResponseInputItem, { type: "item_reference" }> {
  return item.type === "item_reference";
}

function bodyOf({ runId, body }: Response, pointer: string): ResponseBody {
  if (body) return body;
  const message = `The response ${responseId(runId)} has not ended.`;
  throw new ServiceError("run_not_finished", message, {
    errors: [{ pointer, code: "run_not_finished", message }],
    hint: "Read it with GET /v1/responses/{response_id} until its status is completed.",
  });
}

/** The stored response with this id, whole or in progress. */
export async function findResponse(
  id: string,
  { responses, owner }: { responses: AgentResponses; owner: string | null },
): Promise<ResponseBody> {
  const runId = runOfId(id);
  const found = runId === null ? null : await responses.get(runId, owner);
  if (!found) throw unknownResponse(id);
  const { body, request } = found as Response;
  return body ?? openResponse({ runId: found.runId, resolved: request.request.model ?? "" }, request);
}

export function unknownResponse(id: string, pointer?: string): ServiceError {
  const message = `There is no stored response or item ${JSON.stringify(id.slice(0, 64))}.`;
  return new ServiceError(
    "not_found",
    message,
    compact({
      hint: "Responses are stored unless store is false; they are deleted by DELETE /v1/responses/{response_id}, with their conversation, or by their age. Send the items themselves.",
      errors: pointer === undefined ? undefined : [{ pointer, code: "not_found", message }],
    }),
  );
}
