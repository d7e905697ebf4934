import type { OpenAiModel } from "../../src/contract/schemas/agent/models.ts";

export interface ModelOption {
  /** Sent as x-model-id. */
  readonly id: string;
  readonly label: string;
  readonly group: "Last used" | "Fine-tuned" | "Alias" | "Hub";
}

interface OfferedModels {
  readonly recent: readonly string[];
  /** UUIDs by name. */
  readonly studio: Readonly<Record<string, string>>;
  readonly hub: readonly string[];
  /** Models listed by the providers. */
  readonly listed: readonly OpenAiModel[];
}

/** All models without duplicates: recently used ones first, then fine-tuned ones, aliases and the hub. */
export function toModelOptions({ recent, studio, hub, listed }: OfferedModels): ModelOption[] {
  const names = new Map(Object.entries(studio).map(([name, id]) => [id, name]));
  const ownedBy = (owner: string): string[] => listed.flatMap((model) => (model.owned_by === owner ? model.id : []));
  const options: ModelOption[] = [
    ...recent.map((id) => ({ id, label: names.get(id) ?? id, group: "Last used" as const })),
    ...[...names].map(([id, label]) => ({ id, label, group: "Fine-tuned" as const })),
    ...ownedBy("alias").map((id) => ({ id, label: id, group: "Alias" as const })),
    ...[...hub, ...ownedBy("hub")].map((id) => ({ id, label: id, group: "Hub" as const })),
  ];
  const seen = new Set<string>();
  return options.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** The model for a typed text: by exact name, by the only match, otherwise the text itself as an id. */
export function toModelId(options: readonly ModelOption[], text: string): string {
  const typed = text.trim();
  const named = options.find((option) => option.label === typed);
  if (named || typed === "" || typed.includes("/")) return named?.id ?? typed;
  const [only, ...others] = matchOptions(options, typed);
  return only && others.length === 0 ? only.id : typed;
}

export const matchOptions = (options: readonly ModelOption[], text: string): ModelOption[] => {
  const searched = text.trim().toLowerCase();
  return options.filter((option) => `${option.label} ${option.id}`.toLowerCase().includes(searched));
};

const key = "rehearsal.recent-models";
const kept = 6;

/** Recently used models, the latest first. */
export function recentModels(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((model): model is string => typeof model === "string") : [];
  } catch {
    return [];
  }
}

export function rememberModel(model: string): void {
  const models = [model, ...recentModels().filter((other) => other !== model)].slice(0, kept);
  localStorage.setItem(key, JSON.stringify(models));
}
