const key = "rehearsal.recent-models";
const kept = 6;

/** Models used lately, the last one first. */
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
