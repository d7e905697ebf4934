/** Calls back when something is stored, here or in another tab. */
export function onStored(listener: () => void): () => void {
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

/** The browser tells the other tabs only. */
export const tellStored = (): boolean => dispatchEvent(new Event("storage"));
