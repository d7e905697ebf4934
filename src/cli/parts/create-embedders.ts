import type { Logger } from "pino";
import type { Embedder } from "../../contract/ports/embedder.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { loadOnce } from "../../base/load-once.ts";
import { cachedEmbedder } from "../../models/embeddings/cached-embedder.ts";
import { areInstalled, embeddingPackages } from "../../models/embeddings/embedding-packages.ts";
import type { LocalEmbedder } from "../../models/embeddings/local-embedder.ts";
import { openaiEmbedder } from "../../models/embeddings/openai-embeddings.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { Settings } from "../../settings.ts";
import { providerCredential } from "./provider-credential.ts";

interface Embedders {
  /** Whether `semantic_similarity` can be asked for at all. */
  readonly available: boolean;
  readonly embedderFor: (settings: RunSettings) => Promise<Embedder | null>;
  close(): Promise<void>;
}

/**
 * The embedding model the operator set serves every run. The built-in one costs a tenth of a second of CPU a reply, so it
 * serves only runs that name `semantic_similarity` among their scorers.
 */
export function createEmbedders({
  settings: { embeddings },
  outbound,
  log,
}: {
  settings: Settings;
  outbound: Outbound;
  log: Logger;
}): Embedders {
  if (embeddings) {
    const { endpoint, model: modelId } = embeddings;
    const credential = providerCredential({ ...embeddings, baseUrl: endpoint });
    const remote = cachedEmbedder(openaiEmbedder({ outbound, endpoint, modelId, credential, policy: "local" }));
    return { available: true, embedderFor: async () => remote, close: async () => {} };
  }
  let local: LocalEmbedder | null = null;
  let cached: Embedder | null = null;

  async function findLocal(): Promise<LocalEmbedder | null> {
    const { findLocalEmbedder } = await import("../../models/embeddings/local-embedder.ts");
    const found = await findLocalEmbedder({ onFailure: (cause) => log.error({ err: cause }, "the embedder failed") });
    if (found.ok) return (local = found.embedder);
    log.warn(found.reason);
    return null;
  }
  const loadLocal = loadOnce(findLocal);

  return {
    available: areInstalled(embeddingPackages),
    async embedderFor({ scorers }) {
      if (!scorers?.includes("semantic_similarity")) return null;
      const embedder = await loadLocal();
      return embedder && (cached ??= cachedEmbedder(embedder));
    },
    async close() {
      await local?.[Symbol.asyncDispose]();
    },
  };
}
