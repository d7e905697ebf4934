/**
 * The process in which Python of users is called, by the protocol of protocol.ts with answers on standard output. Whatever the
 * code prints goes to standard error.
 */
export const pythonProgram = String.raw`
import asyncio, importlib.util, inspect, json, os, signal, sys, textwrap, threading

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
modules, inline = {}, {}

class Thrown(Exception):
    def __init__(self, error):
        super().__init__(f"{type(error).__name__}: {error}")
        self.code = "assertion" if isinstance(error, AssertionError) else "thrown"

def function_of_file(path, name, kind):
    if path not in modules:
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules[path] = module
    usual = ["get_assert", "score"] if kind == "check" else ["get_transform", "transform"]
    names = [name] if name else usual
    for candidate in names:
        found = getattr(modules[path], candidate, None)
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

def run_code(params):
    if params.get("code") is not None:
        function = inline_function(params["code"])
    else:
        function = function_of_file(params["file"], params.get("function"), params["kind"])
    try:
        result = function(params["output"], params["context"])
        return asyncio.run(result) if inspect.isawaitable(result) else result
    except (Exception, SystemExit) as error:
        raise Thrown(error)

def plain(value):
    # Numbers of numpy and objects such as data classes.
    return value.item() if hasattr(value, "item") else vars(value)

for line in questions:
    question = json.loads(line)
    answer = {"id": question["id"]}
    try:
        answer["result"] = run_code(question["params"]) if question["method"] == "code.run" else None
        text = json.dumps(answer, default=plain, allow_nan=False)
    except BaseException as error:
        message = str(error) if isinstance(error, Thrown) else f"{type(error).__name__}: {error}"
        failure = {"message": message[:10000], **({"code": error.code} if isinstance(error, Thrown) else {})}
        text = json.dumps({"id": question["id"], "error": failure})
    answers.write(text + "\n")
    answers.flush()
`;
