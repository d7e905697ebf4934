import { toPointer } from "../../base/json.ts";
import { closestName } from "../../base/text.ts";
import { mostFieldErrors, type FieldError } from "../../contract/errors/errors.ts";
import type { EvaluationRequest, Trust } from "../../contract/schemas/evaluation-request.ts";
import type { ReferenceToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { Expectation, ToolPattern, World } from "../../contract/schemas/acting/world.ts";
import { schemaProblem } from "../../evaluation/checks/compile-schema.ts";
import { lengthProblems } from "../../evaluation/checks/scorer-problems.ts";
import { normalize } from "../../scoring/text/tokenize.ts";
import { hasMatchers, surveyExpected } from "../../evaluation/tools/matchers.ts";
import { isPlainSchema, type ProbeSetting } from "../../evaluation/tools/probes.ts";
import type { LocatedCheck } from "./request-checks.ts";
import type { ScenarioVisitor } from "./walk-scenarios.ts";
import { worldProblems } from "./world-problems.ts";

type ActingScenario = Exclude<EvaluationRequest["test_batch"], readonly unknown[]>;

/** Reference calls, expected outcomes and worlds, and the patterns and schemas in them. */
interface ActingSurvey extends ScenarioVisitor<ActingScenario> {
  problems(): readonly FieldError[];
  /** Each distinct pattern and schema once, still to be compiled. */
  checks(): readonly LocatedCheck[];
}

interface ActingOptions {
  /** The world of scenarios that have none of their own. */
  readonly world?: World | undefined;
  /** False for scenarios without a run, which may bring the world. Default: true. */
  readonly inRun?: boolean;
  /** Whose worlds these are: only the operator's may name modules. Default: those of a request. */
  readonly trust?: Trust | undefined;
}

/** Checks what the scenarios of a batch say about tools, beyond the schema of each field. */
export function createActingSurvey({ world: ofRun, inRun = true, trust }: ActingOptions = {}): ActingSurvey {
  const problems: FieldError[] = [];
  const distinct = new Map<string, LocatedCheck>();
  const knownSchemas = new Map<string, string | null>();

  const isFull = (): boolean => problems.length >= mostFieldErrors;
  function note(pointer: string, code: string, message: string | (() => string)): void {
    if (!isFull()) problems.push({ pointer, code, message: typeof message === "string" ? message : message() });
  }
  function compileLater(pointer: string, setting: ProbeSetting): void {
    const key = JSON.stringify(setting);
    if (!distinct.has(key)) distinct.set(key, { pointer, setting, exact: true });
  }
  function expected(value: unknown, pointer: string): void {
    if (isFull()) return;
    const found = surveyExpected(value);
    for (const { path, code, message } of found.problems) note(`${pointer}${toPointer(path)}`, code, message);
    for (const { path, setting } of found.probes) compileLater(`${pointer}${toPointer(path)}`, setting);
  }
  function calls(list: readonly ToolPattern[] | undefined, pointer: string): void {
    for (const [index, pattern] of (list ?? []).entries()) {
      if (typeof pattern !== "string" && pattern.arguments)
        expected(pattern.arguments, `${pointer}/${index}/arguments`);
    }
  }

  function surveyWorld(world: World, pointer: string): void {
    const { tools } = world;
    if (!isFull()) problems.push(...worldProblems(world, { pointer, trust }));
    const names = new Set<string>();
    for (const [index, { name, parameters, answers = [] }] of tools.entries()) {
      const at = `${pointer}/tools/${index}`;
      if (names.has(name)) note(`${at}/name`, "duplicate_name", "is used by an earlier tool of this world");
      names.add(name);
      parametersOf(parameters, `${at}/parameters`);
      for (const [place, { when }] of answers.entries()) if (when) expected(when, `${at}/answers/${place}/when`);
    }
  }
  /** Plain schemas, as most tools have, need not be compiled to be known as usable. */
  function parametersOf(parameters: World["tools"][number]["parameters"], pointer: string): void {
    const key = JSON.stringify(parameters);
    const problem = knownSchemas.has(key) ? (knownSchemas.get(key) ?? null) : schemaProblem(parameters);
    knownSchemas.set(key, problem);
    if (problem !== null) note(pointer, "schema_invalid", `is not a usable JSON schema: ${problem}`);
    else if (!isPlainSchema(parameters)) compileLater(pointer, { type: "json_schema", schema: parameters });
  }

  function expectation(given: Expectation, pointer: string, world: World | undefined | null): void {
    const { state, state_after, said, must_call, must_not_call, before = [] } = given;
    if (Object.values(given).every((part) => part === undefined)) {
      note(pointer, "required", "must contain at least one requirement; without one every attempt would pass");
    }
    if (given.code && trust !== "operator") {
      note(
        `${pointer}/code`,
        "not_allowed",
        "runs code, which only the files of rehearsal eval may bring: a request cannot",
      );
    }
    for (const part of ["state", "state_after", "code"] as const) {
      if (given[part] && world === undefined) {
        note(
          `${pointer}/${part}`,
          "required",
          "needs a world, of the scenario or of the run: without one there is no state",
        );
      }
    }
    for (const [path, value] of Object.entries(state ?? {})) expected(value, `${pointer}/state${toPointer([path])}`);
    for (const [index, text] of (said ?? []).entries()) {
      if (typeof text === "string" && normalize(text) === "") {
        note(`${pointer}/said/${index}`, "too_small", "must hold more than white space, which every reply contains");
      } else expected(text, `${pointer}/said/${index}`);
    }
    calls(must_call, `${pointer}/must_call`);
    calls(must_not_call, `${pointer}/must_not_call`);
    for (const [index, { first, later }] of before.entries()) {
      for (const [side, pattern] of Object.entries({ first, later })) {
        if (typeof pattern !== "string" && pattern.arguments) {
          expected(pattern.arguments, `${pointer}/before/${index}/${side}/arguments`);
        }
      }
    }
    for (const [index, call] of (state_after ?? []).entries())
      stateCall(call, `${pointer}/state_after/${index}`, world);
  }
  /** The calls of `state_after` are carried out, so each must be one call of a known tool. */
  function stateCall(call: ReferenceToolCall, pointer: string, world: World | undefined | null): void {
    if (hasMatchers(call.arguments)) {
      note(
        `${pointer}/arguments`,
        "invalid_matcher",
        "must be plain values: these calls are carried out in a fresh world",
      );
    }
    if (world && !world.tools.some(({ name }) => name === call.name)) {
      note(`${pointer}/name`, "unknown_tool", () => {
        const nearest = closestName(
          call.name,
          world.tools.map(({ name }) => name),
        );
        return `is not a tool of the world${nearest ? `; did you mean "${nearest}"?` : ""}`;
      });
    }
  }

  if (ofRun) surveyWorld(ofRun, "/world");
  return {
    enter({ world }, pointer) {
      if (world) surveyWorld(world, `${pointer}/world`);
    },
    turn({ reference_tool_calls }, pointer) {
      calls(reference_tool_calls, `${pointer}/reference_tool_calls`);
    },
    leave({ expect, world = ofRun ?? (inRun ? undefined : null) }, pointer) {
      if (expect) expectation(expect, `${pointer}/expect`, world);
    },
    problems() {
      const checks = [...distinct.values()];
      const tooLong = lengthProblems(checks.map(({ setting }) => setting));
      const located = tooLong.map(({ index, code, message }) => ({
        pointer: checks[index]?.pointer ?? "",
        code,
        message,
      }));
      return [...problems, ...located];
    },
    checks: () => [...distinct.values()],
  };
}
