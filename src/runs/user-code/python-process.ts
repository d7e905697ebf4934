import { findCommand, notFound } from "./find-command.ts";
import type { CodeProgram } from "./code-process.ts";

/** A function, or a module, in a Python file: `agent.py`, or `agent.py:reply`. Null for other files. */
export function pythonModule(path: string): { readonly file: string; readonly function?: string } | null {
  const [, file, name] = /^(.*\.py)(?::([A-Za-z_]\w*))?$/s.exec(path) ?? [];
  if (file === undefined) return null;
  return name === undefined ? { file } : { file, function: name };
}

/** A program that runs Python of users. */
export function pythonProgramOf(
  python: string,
  { environment, start }: Pick<CodeProgram, "environment" | "start">,
): CodeProgram {
  const command = findCommand(python);
  if (command === null) throw new Error(notFound(python));
  return {
    command,
    arguments: ["-u", "-c", pythonProgram],
    environment: { ...environment, ...windowsSystem() },
    answers: "stdout",
    ...(start !== undefined && { start }),
  };
}

/** Python on Windows does not start without it. */
function windowsSystem(): Record<string, string> {
  const root = process.env["SYSTEMROOT"];
  return process.platform === "win32" && root !== undefined ? { SYSTEMROOT: root } : {};
}

/**
 * The process in which Python of users is called, by the protocol of protocol.ts with answers on standard output. Whatever the
 * code prints goes to standard error.
 */
const pythonProgram = String.raw`
import asyncio, copy, importlib.util, inspect, json, os, signal, sys, textwrap, threading, traceback, types, typing

def watch_starter():
    # The pipe breaks when the process that started this one is gone.
    try:
        while os.read(4, 1):
            pass
    except OSError:
        pass
    os.killpg(os.getpgid(0), signal.SIGKILL)

if os.name == "posix":
    threading.Thread(target=watch_starter, daemon=True).start()

answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
modules, inline, bases = {}, {}, {}
loaded = None

class Thrown(Exception):
    def __init__(self, error):
        super().__init__(f"{type(error).__name__}: {error}")
        self.code = "assertion" if isinstance(error, AssertionError) else "thrown"

class Coded(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code

def load_module(path):
    if path not in modules:
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        # Data classes and pickle look for a module by its name.
        sys.modules.setdefault(name, module)
        spec.loader.exec_module(module)
        modules[path] = module
    return modules[path]

def function_of_file(path, name, kind):
    module = load_module(path)
    usual = {"check": ["get_assert", "score"], "transform": ["get_transform", "transform"], "state": ["check", "score"]}[kind]
    names = [name] if name else usual
    for candidate in names:
        found = getattr(module, candidate, None)
        if callable(found):
            return found
    raise LookupError(f"{path} has no function {' or '.join(names)}")

def inline_function(code):
    if code not in inline:
        text = textwrap.dedent(code).strip("\n").rstrip()
        bodies = [text] if "\n" in text else ["return " + text.strip(), text.strip()]
        for body in bodies:
            try:
                made = compile("import json\ndef main(output, context):\n" + textwrap.indent(body, "    "), "<check>", "exec")
                break
            except SyntaxError as error:
                failure = error
        else:
            raise failure
        scope = {}
        exec(made, scope)
        inline[code] = scope["main"]
    return inline[code]

# One loop for the whole life of the process: clients of agents belong to the loop in which they were made.
loop = None

def finished(result):
    global loop
    if not inspect.isawaitable(result):
        return result
    async def wait():
        return await result
    if loop is None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
    return loop.run_until_complete(wait())

def run_code(params):
    if params.get("code") is not None:
        function = inline_function(params["code"])
    else:
        function = function_of_file(params["file"], params.get("function"), params["kind"])
    try:
        return finished(function(params["output"], params["context"]))
    except (Exception, SystemExit) as error:
        raise Thrown(error)

def start(params):
    global loaded
    if params and params.get("module"):
        loaded = load_module(params["module"])
        if params.get("target"):
            reply_function(params)

def reply_function(params):
    name = params.get("function")
    for candidate in [name] if name else ["reply", "agent"]:
        found = getattr(loaded, candidate, None)
        if callable(found):
            return found
    if name:
        raise LookupError(f"it has no function {name}")
    raise LookupError("it has no function reply(messages): name another one after the file, such as agent.py:answer")

class Session:
    """One conversation. What an agent remembers of it goes into state."""
    def __init__(self, id):
        self.id, self.state = id, {}

sessions = {}

def session_of(id):
    if id not in sessions:
        while len(sessions) >= 1000:
            sessions.pop(next(iter(sessions)))
        sessions[id] = Session(id)
    return sessions[id]

def reply_of_target(params):
    options = {key: value for key, value in params.items() if key not in ("messages", "function")}
    messages, function = params["messages"], reply_function(start_params)
    result = finished(function(*call_arguments(function, messages, options)[0], **call_arguments(function, messages, options)[1]))
    return {"text": result} if isinstance(result, str) else result

def call_arguments(function, messages, options):
    # reply(messages), reply(messages, options), or with the options it names: session, session_id, model, world_url …
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return (messages,), {}
    places = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    known = {**options, "session": session_of(options.get("session_id") or ""), "options": options}
    if any(each.kind == each.VAR_KEYWORD for each in parameters):
        return (messages,), {key: value for key, value in known.items() if key != "options"}
    named = {each.name: known[each.name] for each in parameters[1:] if each.name in known and each.kind != each.POSITIONAL_ONLY}
    rest = [each for each in places[1:] if each.name not in named and each.default is each.empty]
    return (messages, options) if len(rest) == 1 else (messages,), named

# A world: tools are functions, or dicts with description, parameters and run. The state is a value, or a function that makes it.

def world_tools():
    given = getattr(loaded, "tools", None)
    if isinstance(given, dict):
        return given
    if isinstance(given, (list, tuple)):
        return {tool.__name__: tool for tool in given}
    raise LookupError("it has no tools: tools = [function, …], or {'name': {'description': …, 'parameters': …, 'run': function}}")

def function_of_tool(name, tool):
    run = tool.get("run") if isinstance(tool, dict) else tool
    if not callable(run):
        raise LookupError(f"its tool {name} is no function, and has none as run")
    return run

simple = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array", tuple: "array"}

def schema_of(kind):
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        text = next((each for each in inner[1:] if isinstance(each, str)), None)
        return {**schema_of(inner[0]), **({"description": text} if text else {})}
    if origin is typing.Literal:
        return {"enum": list(inner)}
    if origin in (typing.Union, getattr(types, "UnionType", None)):
        return {"anyOf": [{"type": "null"} if each is type(None) else schema_of(each) for each in inner]}
    if origin in (list, tuple, set) or kind in (list, tuple, set):
        return {"type": "array", **({"items": schema_of(inner[0])} if inner else {})}
    if hasattr(kind, "model_json_schema"):
        return kind.model_json_schema()
    known = simple.get(origin or kind)
    return {"type": known} if known else {}

def parameters_of(function):
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:
        hints = {}
    properties, required, is_open = {}, [], False
    for name, each in inspect.signature(function).parameters.items():
        if name == "state":
            continue
        if each.kind == each.VAR_KEYWORD:
            is_open = True
            continue
        properties[name] = schema_of(hints.get(name))
        if each.default is each.empty:
            required.append(name)
    closed = {} if is_open else {"additionalProperties": False}
    return {"type": "object", "properties": properties, "required": required, **closed}

def load_world(params):
    described = []
    for name, tool in world_tools().items():
        run = function_of_tool(name, tool)
        given = tool if isinstance(tool, dict) else {}
        description = given.get("description") or inspect.getdoc(run) or ""
        parameters = given.get("parameters") or (parameters_of(run) if not given else {"type": "object"})
        described.append({"name": name, "description": description, "parameters": parameters})
    state = getattr(loaded, "state", None)
    state = finished(state()) if callable(state) else state
    return {"tools": described, **({} if state is None else {"state": state})}

def pointer(path):
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)

def steps(text):
    return [key.replace("~1", "/").replace("~0", "~") for key in text.split("/")[1:]]

def applied(state, changes):
    for change in changes:
        path = steps(change["path"])
        if not path:
            state = copy.deepcopy(change.get("value"))
            continue
        inner = state
        for key in path[:-1]:
            inner = inner[int(key)] if isinstance(inner, list) else inner[key]
        last = path[-1]
        if change["op"] == "remove":
            del inner[int(last) if isinstance(inner, list) else last]
        elif isinstance(inner, list):
            index = len(inner) if last == "-" else int(last)
            inner[index:index + 1] = [copy.deepcopy(change["value"])]
        else:
            inner[last] = copy.deepcopy(change["value"])
    return state

def differences(before, after, path):
    # True and 1 are equal in Python, not in JSON.
    if before is after or (type(before) is type(after) and not isinstance(before, (dict, list)) and before == after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in after.items():
            if key not in before:
                yield {"op": "set", "path": pointer([*path, key]), "value": value}
            else:
                yield from differences(before[key], value, [*path, key])
        for key in before:
            if key not in after:
                yield {"op": "remove", "path": pointer([*path, key])}
    elif isinstance(before, list) and isinstance(after, list) and len(before) <= len(after):
        for index, value in enumerate(after):
            if index < len(before):
                yield from differences(before[index], value, [*path, index])
            else:
                yield {"op": "set", "path": pointer([*path, index]), "value": value}
    else:
        yield {"op": "set", "path": pointer(path), "value": after}

def base_of(given):
    if "base" in given:
        bases.pop(given["id"], None)
        while len(bases) >= 8:
            bases.pop(next(iter(bases)))
        bases[given["id"]] = given["base"]
    if given["id"] not in bases:
        raise Coded("unknown_state")
    return bases[given["id"]]

def call_world(params):
    name = params["tool"]
    tools = world_tools()
    if name not in tools:
        raise LookupError(f"The module has no tool {name}.")
    run = function_of_tool(name, tools[name])
    before = applied(copy.deepcopy(base_of(params["state"])), params["state"]["changes"])
    state = copy.deepcopy(before)
    if isinstance(tools[name], dict):
        result = run(params["arguments"], state)
    else:
        arguments = dict(params["arguments"])
        if "state" in inspect.signature(run).parameters:
            arguments["state"] = state
        result = run(**arguments)
    # What is stored is JSON, whatever objects the tool has put into the state.
    after = json.loads(json.dumps(state, default=plain, allow_nan=False))
    return {"result": finished(result), "changes": list(differences(before, after, []))}

methods = {"start": start, "code.run": run_code, "reply": reply_of_target, "world.load": load_world, "world.call": call_world}
start_params = {}

def plain(value):
    # Numbers of numpy, models of pydantic, data classes and other objects.
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(value, "item"):
        return value.item()
    if hasattr(type(value), "__dataclass_fields__"):
        return {name: getattr(value, name) for name in type(value).__dataclass_fields__}
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return vars(value) if hasattr(value, "__dict__") else str(value)

def told(error, method):
    # A tool or an agent that raises says why; where is in the traceback, which begins in the code of the user.
    if isinstance(error, (Thrown, Coded)):
        return {"message": str(error)[:10000], "code": error.code}
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename not in ("<string>", "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")]
    if not own:
        return {"message": f"{type(error).__name__}: {error}"[:10000]}
    trace = "".join(["Traceback (most recent call last):\n", *traceback.format_list(own), *traceback.format_exception_only(type(error), error)])
    # The error of a tool is read by the agent, in the words of the tool.
    says_why = isinstance(error, Exception) and not isinstance(error, (KeyError, LookupError)) and str(error)
    message = str(error) if method == "world.call" and says_why else f"{type(error).__name__}: {error}"
    return {"message": message[:10000], "details": trace[-4000:]}

for line in questions:
    question = json.loads(line)
    answer = {"id": question["id"]}
    try:
        if question["method"] == "start":
            start_params = question["params"] or {}
        if question["method"] not in methods:
            raise LookupError(f"There is no method {question['method']}.")
        answer["result"] = methods[question["method"]](question["params"])
        text = json.dumps(answer, default=plain, allow_nan=False)
    except BaseException as error:
        failure = told(error, question["method"])
        if question["method"] in ("world.call", "reply") and "details" in failure:
            print(failure["details"], file=sys.stderr, flush=True)
        text = json.dumps({"id": question["id"], "error": failure})
    answers.write(text + "\n")
    answers.flush()
`;
