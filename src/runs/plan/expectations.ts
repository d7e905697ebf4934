import { expectsSomething, type Scenario } from "../../contract/schemas/scenario.ts";
import type { TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { closestName } from "../../base/text.ts";
import { referenceReplies } from "../../evaluation/conversation/conversation.ts";
import { isShortReference } from "../../scoring/scorers/word-recall.ts";
import { turnRubrics } from "../../evaluation/judges/judge-question.ts";
import { hasToolRules, outcomeScoreNames } from "../../evaluation/outcomes/outcome.ts";
import { walkScenarios, type ScenarioVisitor } from "./walk-scenarios.ts";

type ExpectingTurn = Pick<
  Scenario["interactions"][number],
  "reference_reply" | "references" | "reference_metadata" | "reference_tool_calls" | "checks"
>;

/** The parts of a scenario that the warnings and the names of scores depend on. */
export type ExpectingScenario = Pick<Scenario, "id" | "expect" | "user" | "world" | "system_prompt"> & {
  readonly interactions: readonly ExpectingTurn[];
};

/** Some scenarios: how many, and the ids of the first. */
export interface Listed {
  count: number;
  readonly ids: string[];
}

/** An expected call of a tool that the world of its scenario does not have. */
interface UnknownTool {
  readonly scenarioId: string;
  readonly suggestion: string | undefined;
}

/** The expectations of a run's scenarios, collected in one walk. Warnings and the names of scores are made from them. */
export interface Expectations {
  /** Scenarios that expect nothing. */
  readonly silent: Listed;
  /** Scenarios with a simulated user, and those of them without `expect`. */
  readonly users: number;
  readonly openUsers: Listed;
  /** True when a scenario has several turns. */
  readonly hasConversations: boolean;
  /** Turns before the last one without a reference reply. */
  readonly turnsWithoutReference: number;
  readonly turnsWithRubrics: number;
  readonly hasReferences: boolean;
  /** True when all references of a turn are short enough for `word_recall`. */
  readonly hasShortReferences: boolean;
  /** Keys of expected labels. */
  readonly labels: ReadonlySet<string>;
  readonly expectsTurnCalls: boolean;
  /** The checks of each turn that has some. */
  readonly checks: readonly (readonly TurnCheck[])[];
  /** Scenarios whose expected outcome has a rubric. */
  readonly outcomeRubrics: number;
  /** True when a scenario with several turns expects an outcome. */
  readonly expectsOutcomeOfTurns: boolean;
  readonly outcomeScores: ReadonlySet<string>;
  /** True when a scenario has a world or system prompt of its own. */
  readonly hasWorlds: boolean;
  readonly hasSystemPrompts: boolean;
  /** Scenarios that expect calls: without a world of their own, with one that offers tools, with one that offers none. */
  readonly callsExpected: { readonly withoutWorld: number; readonly withTools: number; readonly withoutTools: number };
  /** By the name of the tool. */
  readonly unknownTools: ReadonlyMap<string, UnknownTool>;
}

const shownIds = 3;
const mostUnknownTools = 20;

/** True for a world that offers tools, its own or those of a module. */
export const offersOwnTools = (world: World): boolean => world.tools.length > 0 || world.module !== undefined;

/** Collects the expectations of a batch. `world` is that of scenarios that have none of their own. */
export function createExpectationSurvey(
  world?: World,
): ScenarioVisitor<ExpectingScenario> & { readonly expectations: Expectations } {
  const labels = new Set<string>();
  const checks: (readonly TurnCheck[])[] = [];
  const outcomeScores = new Set<string>();
  const unknownTools = new Map<string, UnknownTool>();
  const callsExpected = { withoutWorld: 0, withTools: 0, withoutTools: 0 };
  const expectations = {
    silent: { count: 0, ids: [] as string[] },
    users: 0,
    openUsers: { count: 0, ids: [] as string[] },
    hasConversations: false,
    turnsWithoutReference: 0,
    turnsWithRubrics: 0,
    hasReferences: false,
    hasShortReferences: false,
    labels,
    expectsTurnCalls: false,
    checks,
    outcomeRubrics: 0,
    expectsOutcomeOfTurns: false,
    outcomeScores,
    hasWorlds: false,
    hasSystemPrompts: false,
    callsExpected,
    unknownTools,
  };
  let current: { id: string; turns: number; tools: readonly string[] | null };
  let isSilent = true;
  let expectsCalls = false;

  function list(scenarios: Listed): void {
    scenarios.count += 1;
    if (scenarios.count <= shownIds) scenarios.ids.push(current.id);
  }
  function expectCalls(calls: readonly (string | { readonly name: string })[]): void {
    if (!current.tools) return;
    for (const call of calls) {
      const name = typeof call === "string" ? call : call.name;
      if (current.tools.includes(name) || unknownTools.has(name) || unknownTools.size >= mostUnknownTools) continue;
      unknownTools.set(name, { scenarioId: current.id, suggestion: closestName(name, current.tools) });
    }
  }

  return {
    expectations,
    enter({ id, world: own, interactions }) {
      const tools = (own ?? world)?.tools.map(({ name }) => name) ?? null;
      current = { id, turns: interactions.length, tools };
      isSilent = true;
      expectsCalls = false;
      expectations.hasConversations ||= current.turns > 1;
    },
    turn(turn, _pointer, index) {
      const { reference_metadata, reference_tool_calls, checks: ofTurn = [] } = turn;
      isSilent &&= !expectsSomething(turn);
      const references = referenceReplies(turn);
      const hasReference = references.length > 0;
      expectations.hasReferences ||= hasReference;
      expectations.hasShortReferences ||= hasReference && references.every(isShortReference);
      if (!hasReference && index < current.turns - 1) expectations.turnsWithoutReference += 1;
      for (const key of Object.keys(reference_metadata)) labels.add(key);
      if (reference_tool_calls) {
        expectsCalls = true;
        expectations.expectsTurnCalls = true;
        expectCalls(reference_tool_calls);
      }
      if (ofTurn.length === 0) return;
      checks.push(ofTurn);
      if (turnRubrics(turn).length > 0) expectations.turnsWithRubrics += 1;
    },
    leave({ expect, user, world: own, system_prompt }) {
      if (isSilent && !expect && !user) list(expectations.silent);
      if (user) {
        expectations.users += 1;
        if (!expect) list(expectations.openUsers);
      }
      expectations.hasWorlds ||= own !== undefined;
      expectations.hasSystemPrompts ||= system_prompt !== undefined;
      if (expect) {
        for (const name of outcomeScoreNames(expect)) outcomeScores.add(name);
        if (expect.rubric !== undefined) expectations.outcomeRubrics += 1;
        expectations.expectsOutcomeOfTurns ||= current.turns > 1;
        expectCalls(expect.must_call ?? []);
        expectsCalls ||= hasToolRules(expect);
      }
      if (!expectsCalls) return;
      if (!own) callsExpected.withoutWorld += 1;
      else if (offersOwnTools(own)) callsExpected.withTools += 1;
      else callsExpected.withoutTools += 1;
    },
  };
}

/** The expectations of scenarios that are not part of a request. */
export function readExpectations(scenarios: readonly ExpectingScenario[], world?: World): Expectations {
  const survey = createExpectationSurvey(world);
  walkScenarios(scenarios, [survey]);
  return survey.expectations;
}
