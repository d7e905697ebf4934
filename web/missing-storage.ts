/**
 * A browser that is told to let this site keep nothing throws at the first look at its stores, and so does one that shows a
 * report in a sandbox. What is chosen and typed is then kept as long as the page is open.
 */
export function replaceMissingStorage(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    try {
      void window[name].length;
    } catch {
      Object.defineProperty(window, name, { value: memoryStore() });
    }
  }
}

function memoryStore(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}
