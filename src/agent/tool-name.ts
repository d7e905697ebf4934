/** What every provider accepts as a function name. */
export const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** A name that providers accept, near to what a client or a model wrote. */
export function toToolName(name: string | null | undefined): string {
  const usable = (name ?? "").replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return usable === "" ? "tool" : usable;
}
