import { compact } from "../../src/base/compact.ts";
import type { AgentSettings } from "../api/agent.ts";
import { tabStorage } from "../parts/browser/storage.ts";

/** The settings as typed; empty fields are not sent. */
export interface ChatSettings {
  readonly systemPrompt: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed: string;
}

const nothing: ChatSettings = { systemPrompt: "", temperature: "", topP: "", maxTokens: "", seed: "" };
const stored = tabStorage("rehearsal.chat-settings", nothing);

export const chatSettings = (): ChatSettings => ({ ...nothing, ...stored.read() });

/** Ranges of the service; a number outside would be refused. */
const ranges = {
  temperature: { minimum: 0, maximum: 10, whole: false },
  topP: { minimum: 0, maximum: 1, whole: false },
  maxTokens: { minimum: 1, maximum: Infinity, whole: true },
  seed: { minimum: -Infinity, maximum: Infinity, whole: true },
} as const satisfies Partial<Record<keyof ChatSettings, unknown>>;
export type NumberField = keyof typeof ranges;

/** The number of a field; undefined when it is empty, null when it cannot be used. */
export function readNumber(field: NumberField, text: string): number | undefined | null {
  if (text.trim() === "") return undefined;
  const value = Number(text.trim().replace(",", "."));
  const { minimum, maximum, whole } = ranges[field];
  return Number.isFinite(value) && value >= minimum && value <= maximum && (!whole || Number.isSafeInteger(value))
    ? value
    : null;
}

/** The settings of a request. Fields that cannot be used are marked in the form and left out. */
export function toAgentSettings(settings: ChatSettings): AgentSettings {
  const number = (field: NumberField): number | undefined => readNumber(field, settings[field]) ?? undefined;
  const parameters = {
    temperature: number("temperature"),
    top_p: number("topP"),
    max_tokens: number("maxTokens"),
    seed: number("seed"),
  };
  return compact({
    system_prompt: settings.systemPrompt.trim() !== "" ? settings.systemPrompt : undefined,
    parameters: Object.values(parameters).some((value) => value !== undefined) ? parameters : undefined,
  });
}

export const keepChatSettings = (settings: ChatSettings): void => stored.keep(settings);
