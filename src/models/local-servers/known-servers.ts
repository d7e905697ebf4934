export type LocalServerKind = "ollama" | "lm-studio" | "llama.cpp" | "vllm";

/** Where a local model server is found unless its owner moved it. */
export interface ServerCandidate {
  readonly kind: LocalServerKind;
  readonly port: number;
}

export const knownServers: readonly ServerCandidate[] = [
  { kind: "ollama", port: 11434 },
  { kind: "lm-studio", port: 1234 },
  { kind: "llama.cpp", port: 8080 },
  { kind: "vllm", port: 8000 },
];

/** What each server writes into `owned_by` of its models: on a port that many programs use, this tells it from another. */
export const ownerKinds: Readonly<Record<string, LocalServerKind>> = {
  library: "ollama",
  organization_owner: "lm-studio",
  llamacpp: "llama.cpp",
  vllm: "vllm",
};
