/** What a script can learn from how the command ended. Quality failures and broken set-ups never share a code. */
export const exitCodes = {
  ok: 0,
  usage: 2,
  internal: 5,
  /** sysexits EX_CONFIG: a bad setting, a taken port, an unusable store. */
  configuration: 78,
} as const;
