/** Nobody else can reach a command's own services, and whoever typed it sets the limits: they are as wide as they go. */
export const wideLimits = {
  REHEARSAL_MAX_BODY_BYTES: String(1024 ** 3),
  REHEARSAL_MAX_ATTEMPTS: "100000",
  REHEARSAL_MAX_INTERACTIONS: "10000000",
  REHEARSAL_MAX_CALLS_PER_RUN: "10000000",
} as const;
