import type { Logger } from "pino";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import { backUpStore, openBackupFolder, tidyInSteps, type BackupFolder } from "../../runs/maintenance.ts";
import { deliverWebhooks, type SendWebhook, type WebhookRequest } from "../../runs/deliver-webhooks.ts";
import type { Settings } from "../../settings.ts";
import { SettingsError } from "../../settings/settings-error.ts";
import type { OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import type { FailureLog } from "./failure-log.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** Starts what runs besides requests and runs: retention, backups and webhooks. */
export async function startBackgroundJobs({
  settings: { runs, agent, webhooks, backupDir },
  storage,
  outbound,
  log,
  logFailure,
}: {
  settings: Settings;
  storage: OpenedStorage;
  /** Has no credentials: webhooks are signed instead. */
  outbound: Outbound;
  log: Logger;
  logFailure: FailureLog;
}): Promise<AsyncDisposable> {
  const backups = backupDir !== null && storage.backup ? await openBackups(backupDir, runs.backupKeep) : null;
  const stop = new AbortController();
  const common = {
    store: storage.store,
    now: storage.now,
    signal: stop.signal,
    onError: (error: unknown) => logFailure(error, "a background job failed"),
  };
  const [runMs, agentMs] = [toMilliseconds(runs.retentionDays), toMilliseconds(agent.retentionDays)];
  const tidyRuns = (): Promise<boolean> =>
    storage.store.runs.tidy({
      ended_before: runMs === null ? null : storage.now() - runMs,
      keys_before: storage.now() - runs.idempotencyHours * hour,
    });
  const tidyMemory = (): Promise<boolean> => storage.agent.tidy({ runMs: agentMs, threadMs: agentMs });
  const jobs = [tidyInSteps({ ...common, tidy: tidyRuns }), tidyInSteps({ ...common, tidy: tidyMemory })];
  if (backups && storage.backup) {
    const everyMs = runs.backupEveryHours * hour;
    jobs.push(backUpStore({ ...common, backup: storage.backup, folder: backups, everyMs }));
  } else if (backupDir !== null) {
    log.warn("REHEARSAL_BACKUP_DIR applies to the embedded store only; back up PostgreSQL with its own tools");
  }
  if (webhooks) {
    const { urls, secret } = webhooks;
    jobs.push(
      deliverWebhooks({
        ...common,
        outbox: storage.outbox,
        urls,
        secret: secret.reveal(),
        send: webhookSender(outbound, log),
      }),
    );
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(jobs);
    },
  };
}

async function openBackups(path: string, keep: number): Promise<BackupFolder> {
  try {
    return await openBackupFolder(path, { keep });
  } catch (cause) {
    const { code = "unknown reason" } = cause as NodeJS.ErrnoException;
    throw new SettingsError("REHEARSAL_BACKUP_DIR", `names ${path}, which cannot be created (${code})`, { cause });
  }
}

/** null: forever. */
function toMilliseconds(days: number): number | null {
  return days === 0 ? null : days * day;
}

type WebhookRefusal = Pick<ReplyError, "code" | "detail">;

/** Sends a webhook once; the caller retries. The log names only the origin, because the address may hold a token. */
export function webhookSender(outbound: Outbound, log: Logger): SendWebhook {
  async function send({ url, headers, body, signal }: WebhookRequest): Promise<WebhookRefusal | null> {
    try {
      const answer = await outbound.request({ url, method: "POST", headers: { ...headers }, body, signal, retries: 0 });
      return answer.ok ? null : answer.error;
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "TimeoutError")) throw error;
      return { code: "upstream_timeout", detail: "It did not respond in time." };
    }
  }

  return async (request) => {
    const refusal = await send(request);
    if (!refusal) return true;
    const { code, detail } = refusal;
    const { origin } = new URL(request.url);
    log.warn({ origin, code, detail }, "a webhook was not accepted and is sent again later");
    return false;
  };
}
