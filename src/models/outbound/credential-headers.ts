import type { CredentialBinding } from "../credentials.ts";

type Header = readonly [name: string, value: string];

/**
 * Looks up what may be sent to an origin: its own headers, nothing for any other. Two providers may share an origin, so a
 * request may bring the credential of its own; one for another origin counts for nothing.
 */
export type CredentialHeaders = (origin: string, own?: CredentialBinding) => readonly Header[];

const none: readonly Header[] = [];

export function createCredentialHeaders(bindings: readonly CredentialBinding[]): CredentialHeaders {
  const byOrigin = Map.groupBy(bindings, ({ origin }) => origin);
  return (origin, own) => (own?.origin === origin ? [toHeader(own)] : (byOrigin.get(origin)?.map(toHeader) ?? none));
}

function toHeader({ header, scheme, secret }: CredentialBinding): Header {
  return [header, scheme === "" ? secret.reveal() : `${scheme} ${secret.reveal()}`];
}
