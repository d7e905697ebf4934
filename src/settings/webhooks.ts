import type { Secret } from "../base/secret.ts";
import { parseAddress } from "./address.ts";
import { keyWithoutHome } from "./credentials.ts";
import type { Environment } from "./environment.ts";
import { SettingsError } from "./settings-error.ts";

/** Who is told when a run ends, and what the messages are signed with. */
export interface WebhookSettings {
  readonly urls: readonly string[];
  readonly secret: Secret;
}

/** Reads REHEARSAL_WEBHOOK_URLS and REHEARSAL_WEBHOOK_SECRET: a message nobody can check is not sent. */
export function readWebhooks(environment: Environment): WebhookSettings | null {
  const urls = environment
    .list("REHEARSAL_WEBHOOK_URLS")
    .map((text) => parseAddress("REHEARSAL_WEBHOOK_URLS", text).href);
  const secret = environment.secret("REHEARSAL_WEBHOOK_SECRET");
  if (urls.length === 0 && secret !== null) throw keyWithoutHome("REHEARSAL_WEBHOOK_SECRET", "REHEARSAL_WEBHOOK_URLS");
  if (urls.length === 0) return null;
  if (secret === null || !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret.reveal())) {
    throw new SettingsError("REHEARSAL_WEBHOOK_SECRET", "must be whsec_ followed by at least 24 bytes in base64");
  }
  return { urls, secret };
}
