/**
 * Where calls may go. `local`: any http(s) host, loopback and LAN included; `allowlist`: the listed origins only;
 * `public`: public addresses only. Link-local and metadata addresses and our own are refused under every policy.
 */
export type PolicyName = "local" | "allowlist" | "public";

/**
 * The policy of the process that accepted a run. It travels with the run: whichever process carries the run out, an address must
 * pass this policy and the policy of that process.
 */
export interface RunPolicy {
  readonly name: PolicyName;
  /**
   * Those of the run's own origins that were on the list when it was accepted; empty under other policies. A worker with policy
   * `local` needs no list of its own, then.
   */
  readonly allow: readonly string[];
}
