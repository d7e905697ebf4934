/** The form as typed; nothing is parsed before it is sent. */
export interface RunDraft {
  readonly name: string;
  readonly endpoint: string;
  readonly protocol: "openai-chat" | "agent";
  readonly model: string;
  readonly attempts: string;
  readonly systemPrompt: string;
  readonly scenarios: string;
}

export const emptyDraft: RunDraft = {
  name: "",
  endpoint: "",
  protocol: "openai-chat",
  model: "",
  attempts: "5",
  systemPrompt: "",
  scenarios: "",
};

const key = "rehearsal.run-draft";

/** The draft this tab was working on, so that a reload loses nothing. */
export function loadDraft(): RunDraft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return { ...emptyDraft, ...(stored as Partial<RunDraft>) };
  } catch {
    return emptyDraft;
  }
}

/** A draft too large for the browser's store is simply not kept. */
export function saveDraft(draft: RunDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(key);
  }
}
