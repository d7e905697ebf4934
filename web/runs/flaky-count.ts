import type { RunSummary } from "../../src/contract/schemas/run.ts";

/** Scenarios of which some attempts passed and others did not. Null where the service has not counted them. */
export const flakyCount = (summary: RunSummary | null): number | null => summary?.flaky ?? null;

/** Scenarios whose attempts differ at all: what older runs know instead. */
export const varyingCount = (summary: RunSummary | null): number => summary?.flakiness?.scenarios.length ?? 0;
