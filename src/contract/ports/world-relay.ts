import type { ServedAttempt } from "./world-endpoints.ts";

/** A request to the endpoint of a world, received by a process that does not have it. */
export interface RelayedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface RelayedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer of the process that has an endpoint, or why there is none. */
export type Relayed =
  | { readonly outcome: "answered"; readonly response: RelayedResponse }
  /** No process on this store has opened it. */
  | { readonly outcome: "unknown" }
  | { readonly outcome: "closed"; readonly attempt: ServedAttempt }
  /** Its process is dead or silent. */
  | { readonly outcome: "unreachable" };

/**
 * Passes requests to the endpoints of worlds on to the process that has them, through the store: behind a load balancer, or with
 * workers, they arrive at any service. Endpoints have ids that say nothing about their addresses, which are secret.
 */
export interface WorldRelay {
  /** From here on other processes pass requests for this endpoint on to `answer`. */
  open(
    id: string,
    attempt: ServedAttempt,
    answer: (request: RelayedRequest) => Promise<RelayedResponse>,
  ): Promise<void>;
  close(id: string): Promise<void>;
  forward(id: string, request: RelayedRequest, signal: AbortSignal): Promise<Relayed>;
}
