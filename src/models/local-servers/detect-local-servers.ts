import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import { modelsIn, type ListedModel } from "../protocols/list-models.ts";
import { parseJson } from "../adapters/reply/json-values.ts";
import type { Outbound, OutboundBody } from "../outbound/outbound.ts";

/** A model server on this machine. */
export interface LocalServer {
  readonly kind: LocalServerKind;
  /** The value for a run's `endpoint` or HUB_BASE_URL. */
  readonly base_url: string;
  readonly models: readonly ListedModel[];
  /** True when it requires a key to list its models. */
  readonly needs_key: boolean;
}

export interface DetectOptions {
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
  readonly candidates?: readonly ServerCandidate[];
  /** Ports of this service, which are skipped. */
  readonly ownPorts?: readonly number[];
  readonly timeoutMs?: number;
  readonly policy?: PolicyName;
}

/**
 * Asks the usual loopback ports for their models, all at once. Ports that do not answer in time, or not like a model server,
 * are left out. Rejects only when the signal aborts.
 */
export async function detectLocalServers({
  outbound,
  signal,
  candidates = knownServers,
  ownPorts = [],
  timeoutMs = 1500,
  policy,
}: DetectOptions): Promise<readonly LocalServer[]> {
  const asked = candidates.filter(({ port }) => !ownPorts.includes(port));
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const found = await Promise.all(
    asked.map((candidate) =>
      askServer(candidate, compact({ outbound, signal: limited, policy: policy || undefined })).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          if (limited.aborted) return null;
          throw error;
        },
      ),
    ),
  );
  return found.filter((server) => server !== null);
}

async function askServer(
  { kind, port }: ServerCandidate,
  request: { outbound: Outbound; signal: AbortSignal; policy?: PolicyName },
): Promise<LocalServer | null> {
  const { outbound, ...options } = request;
  const base_url = `http://127.0.0.1:${port}/v1`;
  let speaksJson = false;
  const result = await outbound.request({
    url: `${base_url}/models`,
    method: "GET",
    operation: "models",
    retries: 0,
    maxReplyBytes: 1024 * 1024,
    explainFailure: ({ body }) => {
      const answer = parseJson(body);
      speaksJson = isRecord(answer) && "error" in answer;
      return null;
    },
    ...options,
  });
  if (result.ok) return fromAnswer(result, { kind, base_url });
  const needsKey = result.error.code === "upstream_auth" && speaksJson;
  return needsKey ? { kind, base_url, models: [], needs_key: true } : null;
}

function fromAnswer(
  { body, headers }: OutboundBody,
  { kind, base_url }: Pick<LocalServer, "kind" | "base_url">,
): LocalServer | null {
  const list = parseJson(body);
  if (headers["rehearsal-version"] !== undefined || !isRecord(list) || !isModelList(list)) return null;
  // Ollama without models sends null instead of a list.
  const models = Array.isArray(list["data"]) ? (modelsIn(list) ?? []) : [];
  return { kind: ownerKind(list) ?? kind, base_url, models, needs_key: false };
}

function isModelList(list: JsonRecord): boolean {
  return Array.isArray(list["data"]) || (list["object"] === "list" && list["data"] === null);
}

function ownerKind({ data }: JsonRecord): LocalServerKind | undefined {
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  const owner = isRecord(first) ? String(first["owned_by"]) : "";
  return Object.hasOwn(ownerKinds, owner) ? ownerKinds[owner] : undefined;
}

export type LocalServerKind = "ollama" | "lm-studio" | "llama.cpp" | "vllm";

/** The default port of a local model server. */
interface ServerCandidate {
  readonly kind: LocalServerKind;
  readonly port: number;
}

export const knownServers: readonly ServerCandidate[] = [
  { kind: "ollama", port: 11434 },
  { kind: "lm-studio", port: 1234 },
  { kind: "llama.cpp", port: 8080 },
  { kind: "vllm", port: 8000 },
];

/** The `owned_by` of each server's models: it identifies a server on a port that many programs use. */
const ownerKinds: Readonly<Record<string, LocalServerKind>> = {
  library: "ollama",
  organization_owner: "lm-studio",
  llamacpp: "llama.cpp",
  vllm: "vllm",
};
