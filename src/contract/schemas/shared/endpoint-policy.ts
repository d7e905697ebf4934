/**
 * Endpoints that may be called. `local`: any http(s) host, loopback and LAN included; `allowlist`: the listed origins only;
 * `public`: public addresses only. Every policy refuses link-local, metadata and the service's own addresses.
 */
export type PolicyName = "local" | "allowlist" | "public";

/** The policy of the process that accepted a run, stored with it. An address must pass this policy and that of the executing process. */
export interface RunPolicy {
  readonly name: PolicyName;
  /**
   * The origins of the run that were on the list when it was accepted; empty under other policies. Workers with
   * policy `local` need no list of their own.
   */
  readonly allow: readonly string[];
  /** Where agents reach the worlds of the run: the address of the service that accepted it. */
  readonly world_origin?: string;
}
