import { compact } from "../../base/compact.ts";
import { testsOwnAgent } from "../plan/endpoints.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { RunComparison } from "../../contract/schemas/comparison.ts";
import type { Margins } from "../../contract/schemas/margins.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { changedInteractions } from "../../evaluation/comparison/changed-interactions.ts";
import type { Comparison } from "../../evaluation/comparison/compare-runs.ts";
import { commonPairAttempts, compareSides, failedReplyNotes } from "./compare-sides.ts";
import { decidingRun } from "./deciding-run.ts";
import { toComparedRun, readFailedReplies, readComparedRun, type StoredSide } from "./stored-side.ts";
import { getOwnedRun } from "../stored/find-run.ts";
import { correctedEffects, winRateOfScores } from "../review/correct-scores.ts";
import { settingChanges, type SettingsSide } from "./setting-changes.ts";

const mostChanged = 200;

/**
 * Compares two stored runs turn by turn: memory grows with the interactions of the suites, not with attempts or texts. Runs that
 * cannot be compared are refused with a reason in the result.
 */
export async function compareStoredRuns(
  store: Store,
  baselineId: string,
  candidateId: string,
  { owner, margins }: { owner?: string | null | undefined; margins?: Margins | undefined } = {},
): Promise<RunComparison> {
  // Both records are looked up first, so that a missing run fails before the other is read.
  const found = [await getOwnedRun(store, baselineId, owner), await getOwnedRun(store, candidateId, owner)] as const;
  const attempts = commonPairAttempts(found[0].settings, found[1].settings);
  const failed = await readFailedReplies(store, found);
  const unanswered = margins && (await readFailedReplies(store, [found[0]]));
  const counted = { attempts: attempts.most, failed, unanswered, margins };
  const [baseline, candidate] = await Promise.all([
    readComparedRun(store, found[0], counted),
    readComparedRun(store, found[1], counted),
  ]);
  const about = {
    baseline: toComparedRun(baseline.run),
    candidate: toComparedRun(candidate.run),
    settings: settingChanges(sideOf(baseline), sideOf(candidate)),
    ...simulatedUsersOf(baseline, candidate),
  };
  const { comparison, leaveOut, notWorse, ...compared } = compareSides(baseline, candidate, { margins });
  const notes = [
    ...attempts.notes,
    ...failedReplyNotes(failed, attempts),
    ...spoiledNotes(baseline, candidate),
    ...stoppedEarlyNotes(found),
    ...compared.notes,
  ];
  if (!comparison.comparable) return { ...about, ...refusedComparison(comparison.reason, comparison.unpaired), notes };
  const { changed, ...counts } = changedInteractions(baseline.tally, candidate.tally, { leaveOut, most: mostChanged });
  const messages = sentMessages(candidate.scenarios);
  const corrected = await correctedEffects(store, {
    baseline: baseline.run,
    candidate: candidate.run,
    names: new Set(comparison.scores.map(({ name }) => name)),
  });
  const winRate = await winRateOfScores(store, { baseline: baseline.run, candidate: candidate.run });
  return compact({
    ...about,
    comparable: true,
    reason: null,
    verdict: comparison.verdict,
    sentence: comparison.sentence,
    scores: comparison.scores.map((score) => ({ ...score })),
    unpaired: comparison.unpaired,
    notes,
    ...counts,
    corrected: corrected.length > 0 ? corrected : undefined,
    win_rate: winRate ?? undefined,
    not_worse:
      margins && notWorse
        ? {
            ...notWorse,
            next: decidingRun(notWorse, {
              baseline: { ...about.baseline, protocol: baseline.run.settings.protocol, own_agent: baseline.run.tied },
              candidate: {
                ...about.candidate,
                protocol: candidate.run.settings.protocol,
                own_agent: candidate.run.tied,
              },
              margins,
              attempts: attempts.most,
            }),
          }
        : undefined,
    changed: changed.map((entry) => ({
      ...entry,
      user_message: messages.get(`${entry.scenario_id}\n${entry.interaction_id}`) ?? "",
    })),
  });
}

function simulatedUsersOf(baseline: StoredSide, candidate: StoredSide): Pick<RunComparison, "simulated_users"> {
  const [left, right] = [baseline, candidate].map(({ run }) => run.summary?.simulated_users ?? null);
  return left || right ? { simulated_users: { baseline: left ?? null, candidate: right ?? null } } : {};
}

/** Attempts that the simulated user spoiled have no scores, so they are in no mean. */
function spoiledNotes(...sides: readonly StoredSide[]): string[] {
  const counts = sides.map(({ run }) => run.summary?.simulated_users?.failed ?? 0);
  const [left = 0, right = 0] = counts;
  if (left + right === 0) return [];
  return [
    `Attempts whose simulated user failed are left out: ${left} of the baseline, ${right} of the candidate. Replay recorded users to give both the same messages.`,
  ];
}

function refusedComparison(reason: string, unpaired: Comparison["unpaired"]) {
  return {
    comparable: false,
    reason,
    verdict: null,
    sentence: `Not comparable. ${reason}`,
    scores: [],
    unpaired,
    notes: [],
    changed: [],
    regressions: 0,
    improvements: 0,
  };
}

const sideOf = ({ run, scenarios }: StoredSide): SettingsSide => ({
  settings: run.settings,
  scenarios,
  ownAgent: testsOwnAgent(run),
});

function sentMessages(scenarios: readonly Scenario[]): Map<string, string> {
  return new Map(
    scenarios.flatMap((scenario) =>
      scenario.interactions.map(({ id, user_message }): [string, string] => [`${scenario.id}\n${id}`, user_message]),
    ),
  );
}

/** p values assume that the scores did not decide when to stop. */
function stoppedEarlyNotes(runs: readonly RunRecord[]): string[] {
  if (!runs.some(({ summary }) => summary?.stopped_by === "decided")) return [];
  return [
    "A run stopped as soon as it was decided, so these p values and intervals are too optimistic: its own decision (GET /runs/{run_id}/sequence) is right at any stopping time.",
  ];
}
