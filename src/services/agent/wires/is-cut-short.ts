const limits = /_limit$|^deadline$|^length$/;

/** Whether a turn ended at a limit, the provider's or one of ours: every wire has one word for both. */
export function isCutShort(finishReason: string): boolean {
  return limits.test(finishReason);
}
