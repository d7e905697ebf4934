export interface ModelOption {
  /** What is sent in x-model-id. */
  readonly id: string;
  readonly label: string;
  readonly group: "Last used" | "Fine-tuned" | "Hub";
}

export interface KnownModels {
  readonly recent: readonly string[];
  /** Name → UUID. */
  readonly studio: Readonly<Record<string, string>>;
  readonly hub: readonly string[];
}

/** Every model once: those used lately first, then fine-tuned ones by name, then the hub. */
export function toModelOptions({ recent, studio, hub }: KnownModels): ModelOption[] {
  const names = new Map(Object.entries(studio).map(([name, id]) => [id, name]));
  const options: ModelOption[] = [
    ...recent.map((id) => ({ id, label: names.get(id) ?? id, group: "Last used" as const })),
    ...[...names].map(([id, label]) => ({ id, label, group: "Fine-tuned" as const })),
    ...hub.map((id) => ({ id, label: id, group: "Hub" as const })),
  ];
  const seen = new Set<string>();
  return options.filter(({ id }) => !seen.has(id) && seen.add(id));
}

export const matchOptions = (options: readonly ModelOption[], text: string): ModelOption[] => {
  const searched = text.trim().toLowerCase();
  return options.filter((option) => `${option.label} ${option.id}`.toLowerCase().includes(searched));
};
