/** What a script can learn from how the command ended. Quality failures and broken set-ups never share a code. */
export const exitCodes = {
  ok: 0,
  /** A gate was not reached: the replies are not good enough. */
  gateFailed: 1,
  /** A wrong option, a missing file, a bad configuration file or scenario. */
  usage: 2,
  /** The model under test, or the service asked to run it, cannot be used. */
  targetUnusable: 3,
  /** The budget or the time was used up. What was done is kept. */
  budgetStop: 4,
  internal: 5,
  /** sysexits EX_CONFIG: a bad setting in the environment, a taken port, an unusable store. */
  configuration: 78,
  /** Ctrl-C. What was done is kept. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
