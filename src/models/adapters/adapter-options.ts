import type { CredentialBinding } from "../credentials.ts";
import type { PolicyName, RunPolicy } from "../../contract/schemas/endpoint-policy.ts";
import type { Outbound } from "../outbound/outbound.ts";

/** What every protocol adapter is made from. */
export interface AdapterOptions {
  readonly outbound: Outbound;
  /** As the user wrote it. One that cannot be used makes every call fail with the reason. */
  readonly endpoint: string;
  readonly modelId: string;
  readonly policy?: PolicyName | undefined;
  /** Of the run that asks the model: it has to allow the endpoint as well. */
  readonly runPolicy?: RunPolicy | null | undefined;
  /** The model's own key. Default: one that covers the endpoint. */
  readonly credential?: CredentialBinding | undefined;
}
