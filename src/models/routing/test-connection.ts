import { errorKinds } from "../../contract/errors/errors.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import type { ConnectionTest } from "../../contract/schemas/agent/models.ts";
import { listProviderModels } from "../protocols/list-models.ts";
import { createChatModel } from "../protocols/create-chat-model.ts";
import type { CredentialBinding } from "../outbound/credentials.ts";
import type { Outbound, OutboundRequest } from "../outbound/outbound.ts";

export interface ConnectionTarget {
  readonly outbound: Outbound;
  readonly baseUrl: string;
  readonly protocol: ModelProtocol;
  readonly credential?: CredentialBinding | undefined;
  /** Default: the policy of the outbound client. */
  readonly policy?: PolicyName;
}

/** A list of OpenRouter holds about 400 models. */
const mostModels = 2000;
const longestReply = 2000;
const timeoutMs = 20_000;

/**
 * Reads the list of models or, with `model`, asks it one short question: some providers list their models without a key.
 * Rejects only when the signal aborts.
 */
export async function testConnection(
  target: ConnectionTarget,
  { model, signal }: { model: string | undefined; signal: AbortSignal },
): Promise<ConnectionTest> {
  const started = performance.now();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const once = { ...target, outbound: withoutRetries(target.outbound) };
  const result = await (model === undefined ? listModels(once, limited) : askModel(once, model, limited)).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (!limited.aborted) throw error;
      return failedTest({ code: "upstream_timeout", detail: `No answer within ${timeoutMs / 1000} s.` });
    },
  );
  return { base_url: target.baseUrl, duration_ms: Math.round(performance.now() - started), ...result };
}

/** The user waits, and can test again. */
function withoutRetries(outbound: Outbound): Outbound {
  const request = (options: OutboundRequest) => outbound.request({ ...options, retries: 0 });
  return { ...outbound, request: request as Outbound["request"] };
}

type ConnectionOutcome = Omit<ConnectionTest, "base_url" | "duration_ms">;

async function listModels({ baseUrl, ...target }: ConnectionTarget, signal: AbortSignal): Promise<ConnectionOutcome> {
  const list = await listProviderModels({ ...target, baseUrl, signal });
  if (!list.ok) return failedTest(list.error);
  const models = [...new Set(list.models.map(({ id }) => id))].slice(0, mostModels);
  return { ok: true, models, reply: null, error: null };
}

async function askModel(
  { baseUrl: endpoint, ...target }: ConnectionTarget,
  modelId: string,
  signal: AbortSignal,
): Promise<ConnectionOutcome> {
  const model = createChatModel({ ...target, endpoint, modelId });
  const reply = await model({ messages: [{ role: "user", content: "Reply with the word ready." }] }, { signal });
  if (!reply.ok) return failedTest(reply.error);
  return { ok: true, models: [], reply: reply.text.trim().slice(0, longestReply), error: null };
}

function failedTest({ code, detail }: Pick<ReplyError, "code" | "detail">): ConnectionOutcome {
  return { ok: false, models: [], reply: null, error: { code, detail, hint: errorKinds[code].hint } };
}
