import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import type { Secret } from "../../base/secret.ts";
import { bindCredential, type CredentialBinding } from "../../models/outbound/credentials.ts";

/** Somebody who serves models, as far as their key goes. */
export interface KeyedProvider {
  readonly baseUrl: string | null;
  readonly apiKey: Secret | null;
  /** Default: openai-chat. */
  readonly protocol?: Protocol;
}

/** Where a protocol wants its key, when that is not the authorization header. */
const keyHeaders: Partial<Record<Protocol, string>> = { "anthropic-messages": "x-api-key" };

/** The provider's own key in the header its protocol wants, bound to its address. Nothing when it has none. */
export function providerCredential({
  baseUrl,
  apiKey,
  protocol = "openai-chat",
}: KeyedProvider): CredentialBinding | undefined {
  if (baseUrl === null || apiKey === null) return undefined;
  return bindCredential({ url: baseUrl, secret: apiKey, protocol, header: keyHeaders[protocol] });
}
