/** What was typed and not sent yet. It is there again after a look at another screen, and after a reload. */
interface Kept<T> {
  read(): T;
  keep(value: T): void;
}

/** Of the five million characters a browser keeps, most are for the conversation. */
const mostCharacters = 500_000;

/** What is longer is lost by a reload, and not by a look at another screen. */
export function keptInTab<T>(key: string, first: T): Kept<T> {
  let kept = stored(key, first);
  return {
    read: () => kept,
    keep(value) {
      kept = value;
      const text = JSON.stringify(value);
      try {
        if (text.length <= mostCharacters) return sessionStorage.setItem(key, text);
      } catch {
        // The store is full.
      }
      sessionStorage.removeItem(key);
    },
  };
}

function stored<T>(key: string, first: T): T {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "") as T;
  } catch {
    return first;
  }
}
