import type { CredentialBinding } from "../credentials.ts";

/** Looks up what may be sent to an origin: exactly that origin's own headers, nothing for any other. */
export type CredentialHeaders = (origin: string) => readonly (readonly [name: string, value: string])[];

const none: readonly (readonly [string, string])[] = [];

export function createCredentialHeaders(bindings: readonly CredentialBinding[]): CredentialHeaders {
  const byOrigin = Map.groupBy(bindings, ({ origin }) => origin);
  return (origin) =>
    byOrigin.get(origin)?.map(({ header, scheme, secret }) => {
      const value = scheme === "" ? secret.reveal() : `${scheme} ${secret.reveal()}`;
      return [header, value] as const;
    }) ?? none;
}
