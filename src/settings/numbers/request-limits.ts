import type { NumberVariable } from "./number-variable.ts";
import { bytes, count, kibibyte, mebibyte } from "./ranges.ts";

export const limits = {
  evaluationBodyBytes: {
    name: "REHEARSAL_MAX_BODY_BYTES",
    ...bytes,
    default: 8 * mebibyte,
    meaning: "Largest request body of the evaluation service.",
  },
  agentBodyBytes: {
    name: "REHEARSAL_MAX_BODY_BYTES",
    ...bytes,
    default: 4 * mebibyte,
    meaning: "Largest request body of the agent backend.",
  },
  jsonDepth: {
    name: "REHEARSAL_MAX_JSON_DEPTH",
    minimum: 4,
    maximum: 500,
    default: 32,
    meaning: "Deepest nesting of a JSON body.",
  },
  objectKeys: {
    name: "REHEARSAL_MAX_OBJECT_KEYS",
    ...count,
    default: 1000,
    meaning: "Most keys of one JSON object.",
  },
  attempts: { name: "REHEARSAL_MAX_ATTEMPTS", ...count, default: 100, meaning: "Most attempts of one run." },
  interactions: {
    name: "REHEARSAL_MAX_INTERACTIONS",
    ...count,
    default: 1000,
    meaning: "Most interactions of one batch.",
  },
  callsPerRun: {
    name: "REHEARSAL_MAX_CALLS_PER_RUN",
    ...count,
    default: 10_000,
    meaning: "Most calls of one run: attempts times interactions, and what judge and labeller are asked about them.",
  },
  metadataKeys: {
    name: "REHEARSAL_MAX_METADATA_KEYS",
    ...count,
    default: 64,
    meaning: "Most keys of one metadata object.",
  },
  metadataBytes: {
    name: "REHEARSAL_MAX_METADATA_BYTES",
    ...bytes,
    default: 16 * kibibyte,
    meaning: "Largest metadata object, as JSON.",
  },
  scores: {
    name: "REHEARSAL_MAX_SCORES",
    ...count,
    default: 1000,
    meaning: "Most different metadata keys and names of checks in the turns of one run, each of which is a score.",
  },
  messages: {
    name: "REHEARSAL_MAX_MESSAGES",
    ...count,
    default: 500,
    meaning:
      "Most messages of one conversation, as its client sends them. The steps and tools within a message of the AI SDK's chat are part of it.",
  },
  modelIdChars: {
    name: "REHEARSAL_MAX_MODEL_ID_CHARS",
    minimum: 36,
    maximum: 2048,
    default: 512,
    meaning: "Longest x-model-id.",
  },
} as const satisfies Record<string, NumberVariable>;
