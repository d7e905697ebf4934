/** Where a service is and how to reach it. */
export interface ClientOptions {
  /** Address of the service, such as http://127.0.0.1:8001. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; white space around it is dropped. Needed when the service was given keys. */
  readonly apiKey?: string | undefined;
  /** The `fetch` to use; the global one when absent. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}
