import type { FileScenario } from "../scenario-file.ts";

export interface ChatLine {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** The scripted conversation with its reference replies; a turn without one has only the user's message. */
export function messagesOf({ system_prompt, interactions }: FileScenario): ChatLine[] {
  const turns = interactions.flatMap(({ user_message, reference_reply }): ChatLine[] => [
    { role: "user", content: user_message },
    ...(reference_reply === "" ? [] : [{ role: "assistant" as const, content: reference_reply }]),
  ]);
  return system_prompt ? [{ role: "system", content: system_prompt }, ...turns] : turns;
}

/** The conversation up to the last question, and the reply expected to it. */
export function questionOf(scenario: FileScenario): { messages: ChatLine[]; reference: string } {
  const messages = messagesOf(scenario);
  const reference = scenario.interactions.at(-1)?.reference_reply ?? "";
  return { messages: reference === "" ? messages : messages.slice(0, -1), reference };
}
