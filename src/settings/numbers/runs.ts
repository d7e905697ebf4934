import type { NumberVariable } from "./number-variable.ts";
import { count, second, wait } from "./ranges.ts";

export const runs = {
  retentionDays: {
    name: "REHEARSAL_RETENTION_DAYS",
    minimum: 0,
    maximum: 36_500,
    default: 0,
    meaning: "Days after their end that runs are kept; 0 keeps them for good.",
  },
  backupEveryHours: {
    name: "REHEARSAL_BACKUP_EVERY_HOURS",
    ...count,
    default: 24,
    meaning: "Hours between two backups of the embedded store.",
  },
  backupKeep: { name: "REHEARSAL_BACKUP_KEEP", ...count, default: 7, meaning: "Backups that are kept." },
  queueLength: {
    name: "REHEARSAL_QUEUE_MAX_RUNS",
    ...count,
    default: 1000,
    meaning: "Unfinished runs before POST /evaluate refuses new ones with 503.",
  },
  queuePerKey: {
    name: "REHEARSAL_QUEUE_MAX_RUNS_PER_KEY",
    minimum: 0,
    maximum: 1_000_000,
    default: 500,
    meaning: "Unfinished runs of one key's owner before POST /evaluate refuses more of them with 429; 0 = any number.",
  },
  leaseMs: {
    name: "REHEARSAL_LEASE_MS",
    ...wait,
    minimum: second,
    default: 15 * second,
    meaning:
      "How long a silent worker keeps an attempt. With PostgreSQL the default and the least is 10000, in whole seconds, and the same for all its processes.",
  },
  heartbeatMs: {
    name: "REHEARSAL_HEARTBEAT_MS",
    ...wait,
    default: 5 * second,
    meaning: "How often a worker renews its leases.",
  },
  idempotencyHours: {
    name: "REHEARSAL_IDEMPOTENCY_TTL_HOURS",
    ...count,
    default: 24,
    meaning: "How long an Idempotency-Key is remembered; that of a run at least until the run has ended.",
  },
} as const satisfies Record<string, NumberVariable>;
