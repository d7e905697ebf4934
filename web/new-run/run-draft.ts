import type { Protocol } from "../../src/contract/schemas/evaluation-request.ts";

/** The form as typed; nothing is parsed before it is sent. */
export interface RunDraft {
  readonly name: string;
  readonly endpoint: string;
  readonly protocol: Protocol;
  readonly model: string;
  readonly attempts: string;
  readonly systemPrompt: string;
  readonly scenarios: string;
  /** Empty: the service's default. */
  readonly history: string;
  readonly threshold: string;
  /** Names of scores, comma separated. */
  readonly scorers: string;
  readonly temperature: string;
  readonly concurrency: string;
  readonly priority: string;
  /** US dollars. */
  readonly money: string;
  readonly judgeEndpoint: string;
  readonly judgeModel: string;
  readonly judgeRubric: string;
  readonly judgeVotes: string;
}

export const protocols: readonly { readonly id: Protocol; readonly label: string }[] = [
  { id: "openai-chat", label: "OpenAI chat completions" },
  { id: "openai-responses", label: "OpenAI responses" },
  { id: "anthropic-messages", label: "Anthropic messages" },
  { id: "agent", label: "Rehearsal agent (POST /)" },
];

/** A protocol by its name; what nobody knows is the usual one. */
export const readProtocol = (value: unknown): Protocol => protocols.find(({ id }) => id === value)?.id ?? "openai-chat";

export const emptyDraft: RunDraft = {
  name: "",
  endpoint: "",
  protocol: "openai-chat",
  model: "",
  attempts: "5",
  systemPrompt: "",
  scenarios: "",
  history: "",
  threshold: "",
  scorers: "",
  temperature: "",
  concurrency: "",
  priority: "",
  money: "",
  judgeEndpoint: "",
  judgeModel: "",
  judgeRubric: "",
  judgeVotes: "",
};

const key = "rehearsal.run-draft";

/** Whether everything that a run cannot do without has been filled in. Whether it is right, the service says. */
export const isWhole = ({ endpoint, model, scenarios }: RunDraft): boolean =>
  [endpoint, model, scenarios].every((text) => text.trim() !== "");

interface KeptDraft {
  /** Of the step in the browser's history on which it is typed. */
  readonly entry?: string;
  readonly draft?: Partial<RunDraft>;
}

/** The draft this tab was working on last. */
export const loadDraft = (): RunDraft => ({ ...emptyDraft, ...readKept().draft });

/** The same where this very step of the history was left, so that neither a reload nor a step back and forth loses anything. */
export function draftOfThisEntry(): RunDraft | null {
  return readKept().entry === thisEntry() ? loadDraft() : null;
}

/** A draft too large for the browser's store is simply not kept. */
export function saveDraft(draft: RunDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify({ entry: thisEntry(), draft } satisfies KeptDraft));
  } catch {
    sessionStorage.removeItem(key);
  }
}

function readKept(): KeptDraft {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}") as KeptDraft;
  } catch {
    return {};
  }
}

/** A name of this step in the browser's history, which stays with it; whoever comes here anew has another. */
function thisEntry(): string {
  const state = history.state as { readonly entry?: string } | null;
  if (state?.entry !== undefined) return state.entry;
  const entry = String(Math.random());
  history.replaceState({ ...state, entry }, "");
  return entry;
}
