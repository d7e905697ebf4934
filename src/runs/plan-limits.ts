/** Bounds on one request, from the operator's settings. */
export interface PlanLimits {
  readonly attempts: number;
  readonly interactions: number;
  readonly callsPerRun: number;
  readonly metadataKeys: number;
  readonly metadataBytes: number;
  readonly scores: number;
}
