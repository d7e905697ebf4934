import { isRecord, toPointer } from "../../base/json.ts";
import { closestName } from "../../base/text.ts";
import { mostFieldErrors, type FieldError } from "../../contract/errors/errors.ts";
import type { Trust } from "../../contract/schemas/evaluation-request.ts";
import type { World, WorldAnswer, WorldTool } from "../../contract/schemas/acting/world.ts";
import { argumentPath, expressionKey, expressions, placeholders } from "../../evaluation/world/answers.ts";
import { initialStateProblem } from "../../evaluation/world/limits.ts";
import { forbiddenKeys, parsePointer } from "../../evaluation/world/state.ts";

interface WorldRules {
  readonly pointer: string;
  /** Default: `request`. */
  readonly trust?: Trust | undefined;
}

/** Problems of a world beyond the schema of each field, its matchers and its JSON schemas: at most a hundred. */
export function worldProblems(world: World, { pointer, trust }: WorldRules): FieldError[] {
  const { tools, recorded = [], module, state, state_file } = world;
  const problems: FieldError[] = [];
  const note: NoteProblem = (path, code, message) => {
    if (problems.length >= mostFieldErrors) return;
    const words = typeof message === "string" ? message : message();
    problems.push({ pointer: `${pointer}${toPointer(path)}`, code, message: words });
  };
  if (module !== undefined && trust !== "operator") {
    note(["module"], "not_allowed", "is accepted only in files and configuration of the operator, not in a request");
  }
  if (state_file !== undefined) {
    note(["state_file"], "not_allowed", "is read only from files and configuration by the command line; send state");
  }
  const stateProblem = initialStateProblem(state);
  if (stateProblem !== null) note(["state"], "too_big", stateProblem);
  if (tools.length === 0 && module === undefined) note(["tools"], "required", "must contain at least one tool");
  const answersOtherwise = recorded.length > 0 || module !== undefined;
  for (const [index, tool] of tools.entries()) {
    toolProblems(tool, (path, code, message) => note(["tools", index, ...path], code, message));
    if (tool.answers || answersOtherwise) continue;
    note(["tools", index, "answers"], "required", "is needed where the world has neither recorded calls nor a module");
  }
  const names = new Set(tools.map(({ name }) => name));
  for (const [index, { name, result, error }] of recorded.entries()) {
    if (!names.has(name)) note(["recorded", index, "name"], "unknown_tool", unknown("tool of this world", name, names));
    if (result !== undefined && error !== undefined) {
      note(["recorded", index], "invalid_value", "must not have both result and error");
    }
  }
  return problems;
}

/** Messages that take a search are written only if they are kept. */
type WorldMessage = string | (() => string);
type NoteProblem = (path: readonly PropertyKey[], code: string, message: WorldMessage) => void;

const otherTypes = new Set(["array", "string", "number", "integer", "boolean", "null"]);

function toolProblems({ parameters, answers = [] }: WorldTool, note: NoteProblem): void {
  const { type } = parameters;
  if (typeof type === "string" && otherTypes.has(type)) {
    note(["parameters", "type"], "schema_invalid", 'must be "object": arguments have names');
  }
  const known = argumentNames(parameters);
  for (const [index, answer] of answers.entries()) {
    answerProblems(answer, known, (path, code, message) => note(["answers", index, ...path], code, message));
  }
}

/** The names of a tool's arguments; null when its schema leaves them open. */
function argumentNames(parameters: WorldTool["parameters"]): KnownParts {
  const { properties, additionalProperties = false } = parameters;
  const isOpen = ["$ref", "anyOf", "oneOf", "allOf", "if", "patternProperties"].some((key) => key in parameters);
  return isRecord(properties) && !isOpen && additionalProperties === false ? new Set(Object.keys(properties)) : null;
}

function answerProblems(
  { when = {}, set = {}, remove = [], result }: WorldAnswer,
  known: KnownParts,
  note: NoteProblem,
): void {
  for (const name of Object.keys(when)) {
    if (known?.has(name) === false) note(["when", name], "unknown_argument", unknown("argument", name, known));
  }
  for (const [pointer, value] of Object.entries(set)) {
    const at = (path: readonly PropertyKey[]): readonly PropertyKey[] => ["set", pointer, ...path];
    pointerProblem(pointer, known, (code, message) => note(at([]), code, message));
    valueProblems(value, known, (path, code, message) => note(at(path), code, message));
  }
  for (const [index, pointer] of remove.entries()) {
    if (pointer === "")
      note(["remove", index], "too_small", "must not be empty: the state as a whole cannot be removed");
    else pointerProblem(pointer, known, (code, message) => note(["remove", index], code, message));
  }
  valueProblems(result, known, (path, code, message) => note(["result", ...path], code, message));
}

type KnownParts = ReadonlySet<string> | null;

function pointerProblem(pointer: string, known: KnownParts, note: (code: string, message: WorldMessage) => void): void {
  const path = parsePointer(pointer);
  if (!path) return note("invalid_pointer", "must be a JSON pointer: / before each key, ~ written as ~0 and / as ~1");
  const forbidden = path.find((key) => forbiddenKeys.has(key));
  if (forbidden !== undefined) return note("invalid_pointer", `must not contain the key ${forbidden}`);
  for (const name of placeholders(pointer)) {
    if (known?.has(name) === false) note("unknown_argument", unknown("argument", name, known));
  }
}

/** Problems of the expressions in a value. */
function valueProblems(value: unknown, known: KnownParts, note: NoteProblem): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      valueProblems(item, known, (path, code, message) => note([index, ...path], code, message));
    }
    return;
  }
  if (!isRecord(value)) return;
  const key = expressionKey(value);
  if (key === null) {
    for (const [name, item] of Object.entries(value)) {
      valueProblems(item, known, (path, code, message) => note([name, ...path], code, message));
    }
    return;
  }
  if (Object.keys(value).length > 1) {
    const message = `must be the only key of its object; for an object with a key ${expressions.join(", ")} as it is, write {"$literal": …} around it`;
    return note([key], "invalid_expression", message);
  }
  const given = value[key];
  if (key === "$literal") return;
  if (typeof given !== "string") return note([key], "invalid_expression", "must be a text");
  if (key === "$state") return pointerProblem(given, known, (code, message) => note([key], code, message));
  const path = argumentPath(given);
  if (!path)
    return note([key], "invalid_pointer", "must be the name of an argument, or a JSON pointer into the arguments");
  const [name = ""] = path;
  if (known?.has(name) === false) note([key], "unknown_argument", unknown("argument", name, known));
}

/** Names that an unknown one is compared with. */
const mostCompared = 200;

const unknown = (noun: string, name: string, known: ReadonlySet<string>) => (): string => {
  const names = [...known].slice(0, mostCompared);
  const nearest = closestName(name, names);
  const hint =
    nearest === undefined ? `known: ${names.slice(0, 20).join(", ") || "none"}` : `did you mean "${nearest}"?`;
  return `names no ${noun} (${JSON.stringify(name.slice(0, 80))}); ${hint}`;
};
