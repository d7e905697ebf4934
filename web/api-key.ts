const key = "rehearsal.api-key";

/** The key a guarded service asked for. Kept for this tab only. */
export const apiKey = (): string | null => sessionStorage.getItem(key);

export function setApiKey(value: string): void {
  if (value === "") sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, value);
}
