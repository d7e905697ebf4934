import { addressProtocols, protocols } from "../../src/contract/protocols/protocols.ts";
import type { Protocol } from "../../src/contract/schemas/evaluation-request.ts";

/** The form's input as text; parsed when it is sent. */
export interface RunDraft {
  readonly name: string;
  readonly endpoint: string;
  readonly protocol: Protocol;
  readonly model: string;
  /** The header by which an agent gets the address of its world; empty for none. Sent only with scenarios that have a world. */
  readonly worldHeader: string;
  readonly attempts: string;
  /** The run goes on until a comparison with this is decided; empty for a fixed number of attempts. */
  readonly until: "" | "model_id" | "run" | "threshold";
  readonly against: string;
  readonly margin: string;
  readonly systemPrompt: string;
  readonly scenarios: string;
  /** Empty for the service's default. */
  readonly history: string;
  readonly threshold: string;
  /** Names of scores, separated by commas. */
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

export const protocolOptions: readonly { readonly id: Protocol; readonly label: string }[] = addressProtocols().map(
  (id) => ({ id, label: protocols[id].title }),
);

export const untilOptions: readonly { readonly id: RunDraft["until"]; readonly label: string }[] = [
  { id: "", label: "all attempts are made" },
  { id: "model_id", label: "decided against another model" },
  { id: "run", label: "decided against an earlier run" },
  { id: "threshold", label: "decided against a threshold" },
];

/** A protocol by its id; the default for unknown ids. */
export const readProtocol = (value: unknown): Protocol =>
  protocolOptions.find(({ id }) => id === value)?.id ?? "openai-chat";

/** The header by which our agent backend takes the address of a world. */
export const ownWorldHeader = "rehearsal-world";

export const emptyDraft: RunDraft = {
  name: "",
  endpoint: "",
  protocol: "openai-chat",
  model: "",
  worldHeader: "",
  attempts: "5",
  until: "",
  against: "",
  margin: "",
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

const storageKey = "rehearsal.run-draft";

/** True if the required fields are filled in; the service validates them. */
export const isComplete = ({ endpoint, model, scenarios }: RunDraft): boolean =>
  [endpoint, model, scenarios].every((text) => text.trim() !== "");

interface StoredDraft {
  /** The browser history entry it belongs to. */
  readonly entry?: string;
  readonly draft?: Partial<RunDraft>;
}

/** The last draft of this tab. */
export const loadDraft = (): RunDraft => ({ ...emptyDraft, ...readStored().draft });

/** The draft of the current history entry, so that reload, back and forward keep it; null for a new entry. */
export function draftOfHistoryEntry(): RunDraft | null {
  return readStored().entry === historyEntryId() ? loadDraft() : null;
}

/** A draft too large for session storage is not kept. */
export function saveDraft(draft: RunDraft): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ entry: historyEntryId(), draft } satisfies StoredDraft));
  } catch {
    sessionStorage.removeItem(storageKey);
  }
}

function readStored(): StoredDraft {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "{}") as StoredDraft;
  } catch {
    return {};
  }
}

/** A random id stored in the current history entry; each new visit gets another. */
function historyEntryId(): string {
  const state = history.state as { readonly entry?: string } | null;
  if (state?.entry !== undefined) return state.entry;
  const entry = String(Math.random());
  history.replaceState({ ...state, entry }, "");
  return entry;
}
