import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import { coversCall, type CredentialBinding, type CredentialedCall, type Operation } from "../credentials.ts";

type Header = readonly [name: string, value: string];

/** The credential of a request, if there is one. */
export interface CredentialChoice {
  readonly headers: readonly Header[];
  /** True when the origin has a credential that this call is not covered by. */
  readonly isWithheld: boolean;
}

/**
 * Chooses the credential of a request among those that cover it: its own, else the first of its protocol, else the first.
 * Several may cover it, since two providers may share an address.
 */
export type CredentialHeaders = (call: CredentialedCall, own?: CredentialBinding) => CredentialChoice;

const operations: Readonly<Record<Protocol, Operation>> = {
  "openai-chat": "chat/completions",
  "openai-responses": "responses",
  "anthropic-messages": "messages",
  agent: "agent",
};

export function createCredentialHeaders(bindings: readonly CredentialBinding[]): CredentialHeaders {
  const byOrigin = Map.groupBy(bindings, ({ origin }) => origin);
  return (call, own) => {
    const { origin } = call.url;
    if (own && coversCall(own, call)) return { headers: [toHeader(own)], isWithheld: false };
    const atOrigin = byOrigin.get(origin) ?? [];
    const covering = atOrigin.filter((binding) => coversCall(binding, call));
    const alike = ({ protocol }: CredentialBinding) => !protocol || operations[protocol] === call.operation;
    const chosen = covering.find(alike) ?? covering[0];
    if (chosen) return { headers: [toHeader(chosen)], isWithheld: false };
    return { headers: [], isWithheld: atOrigin.length > 0 || own?.origin === origin };
  };
}

function toHeader({ header, scheme, secret }: CredentialBinding): Header {
  return [header, scheme === "" ? secret.reveal() : `${scheme} ${secret.reveal()}`];
}
