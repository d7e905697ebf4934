/**
 * Replaces browser storage that throws on access with storage in memory. It throws when the user blocks site data, and in a
 * report shown in a sandboxed frame.
 */
export function replaceMissingStorage(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    try {
      void window[name].length;
    } catch {
      Object.defineProperty(window, name, { value: memoryStorage() });
    }
  }
}

function memoryStorage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/** Calls back when local storage changes, in this tab or another. */
export function onStored(listener: () => void): () => void {
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

/** Notifies the listeners of this tab; the browser notifies only the others. */
export const notifyStored = (): boolean => dispatchEvent(new Event("storage"));

interface TabStorage<T> {
  read(): T;
  keep(value: T): void;
}

/** Browsers allow about five million characters; most of them are left to the conversation. */
const mostCharacters = 500_000;

/** A value that survives a change of screen and, unless it is too long, a reload. Used for text that is not sent yet. */
export function tabStorage<T>(key: string, first: T): TabStorage<T> {
  let current = parseStored(key, first);
  return {
    read: () => current,
    keep(value) {
      current = value;
      const text = JSON.stringify(value);
      try {
        if (text.length <= mostCharacters) return sessionStorage.setItem(key, text);
      } catch {
        // The storage is full.
      }
      sessionStorage.removeItem(key);
    },
  };
}

function parseStored<T>(key: string, first: T): T {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "") as T;
  } catch {
    return first;
  }
}
