import { readFile } from "node:fs/promises";
import { Argument, type Command } from "commander";
import { parseDocument } from "yaml";
import { closestName, counted } from "../../../base/text.ts";
import { formatFigure } from "../../../base/numbers.ts";
import { judgeQuestions, toQuestion, type JudgeQuestion } from "../../../evaluation/judges/judge-question.ts";
import { judgesWithCases, labelledCases } from "../../../evaluation/judges/labelled-cases.ts";
import { readCase, type JudgeCase } from "../../../evaluation/judges/read-case.ts";
import { testJudge, type JudgeTest } from "../../../evaluation/judges/test-judge.ts";
import { tuneJudge } from "../../../evaluation/judges/tune-judge.ts";
import { readyJudge, readyJudgeNames, readyJudges } from "../../../scoring/judges/ready-judges.ts";
import { isReadyJudge, openJudge } from "../../eval/open-judge.ts";
import { evalOptions } from "../../options/eval-options.ts";
import { addOptions, type OptionTable, type OptionValues } from "../../options/option-table.ts";
import { sourceOptions } from "../../options/shared-options.ts";
import { CliError, exitCodes } from "../../terminal/cli-error.ts";
import { writeWholeFile } from "../../terminal/files.ts";
import { note, printJson, printMessage } from "../../terminal/output.ts";

const judgeOptions = {
  config: { flags: evalOptions.config.flags, help: "configuration file" },
  envFile: sourceOptions.envFile,
  model: { flags: "--model <id>", help: "model that judges (default: judge.model_id of the configuration)" },
  endpoint: { flags: "--endpoint <url>", help: "its endpoint, such as http://127.0.0.1:8080/v1" },
  protocol: {
    flags: "--protocol <name>",
    help: "its protocol",
    choices: ["openai-chat", "openai-responses", "anthropic-messages"],
  },
  cases: { flags: "--cases <file>", help: "test, tune: labelled cases of your own, or results with people's verdicts" },
  votes: { flags: "--votes <n>", help: "test: times each case is asked", parse: (value: string) => toVotes(value) },
  json: { flags: "--json", help: "print the answer as one JSON object" },
} as const satisfies OptionTable;

type JudgeOptions = OptionValues<typeof judgeOptions>;

const actions = ["list", "test", "add", "tune"] as const;

/** `rehearsal judge` */
export function declare(command: Command): void {
  command
    .addArgument(new Argument("<action>", actions.join(", ")).choices([...actions]))
    .argument(
      "[names...]",
      `ready-made judges, or rubrics of the configuration (default for test: all with labelled cases)`,
    );
  addOptions(command, judgeOptions).addHelpText("after", examples).action(judge);
}

const examples = `
Examples:
  rehearsal judge list
  rehearsal judge add faithfulness policy_adherence --model judge-model --endpoint http://127.0.0.1:8080/v1
  rehearsal judge test faithfulness --model judge-model --endpoint http://127.0.0.1:8080/v1
  rehearsal judge tune tone --cases labels.txt`;

function toVotes(value: string): number {
  const votes = Number(value);
  if (Number.isInteger(votes) && votes >= 1 && votes <= 15) return votes;
  throw new CliError("--votes must be a whole number from 1 to 15");
}

async function judge(action: (typeof actions)[number], names: readonly string[], options: JudgeOptions): Promise<void> {
  if (action === "list") return list(options);
  if (action === "add") return add(names, options);
  await (action === "test" ? test(names, options) : tune(names, options));
}

function list({ json }: JudgeOptions): void {
  if (json) return printJson({ judges: readyJudges });
  for (const { name, help, scope, needs, choices, text } of readyJudges) {
    const wants = needs.length > 0 ? `; needs ${needs.join(", ")}` : "";
    printMessage(`${name}: ${help}\n  asked about each ${scope}${wants}; ${Object.keys(choices).join(", ")}`);
    printMessage(`${text.replaceAll(/^/gm, "    ")}\n`);
  }
}

/** Writes the judge into the configuration; what else stands there stays as it is. */
async function add(names: readonly string[], options: JudgeOptions): Promise<void> {
  const { loadConfig } = await import("../../config/load-config.ts");
  const wanted = (names.length > 0 ? names : ["answer_relevance", "tone"]).map(requireReady);
  const { file } = await loadConfig(options.config);
  const path = file ?? "rehearsal.yaml";
  if (!/\.ya?ml$/.test(path))
    throw new CliError(`${path} is no YAML file: add judge: { model_id, judges } to it yourself`);
  const document = parseDocument(file === undefined ? "" : await readFile(path, "utf8"));
  const known: unknown = document.toJS();
  const before = (known as { judge?: { model_id?: string; judges?: string[] } } | null)?.judge ?? {};
  if ((options.model ?? before.model_id) === undefined)
    throw new CliError("judge add needs --model, the model that judges");
  if (options.model !== undefined) document.setIn(["judge", "model_id"], options.model);
  if (options.endpoint !== undefined) document.setIn(["judge", "endpoint"], options.endpoint);
  if (options.protocol !== undefined) document.setIn(["judge", "protocol"], options.protocol);
  const judges = [...new Set([...(before.judges ?? []), ...wanted])];
  document.setIn(["judge", "judges"], judges);
  await writeWholeFile(path, document.toString({ lineWidth: 0 }));
  if (options.json) return printJson({ file: path, judges });
  note(`${path}: the judge ${options.model ?? before.model_id} answers ${judges.join(", ")}`);
  note("Next: rehearsal judge test, to see how far it agrees with people, or rehearsal eval");
}

function requireReady(name: string): string {
  if (isReadyJudge(name)) return name;
  const near = closestName(name, readyJudgeNames);
  throw new CliError(
    `there is no ready-made judge "${name}"${near === undefined ? `: there are ${readyJudgeNames.join(", ")}` : `: did you mean ${near}?`}`,
  );
}

interface TestedQuestion {
  readonly name: string;
  readonly question: JudgeQuestion;
}

/** Ready-made judges and the rubrics of the configuration, by name. */
async function questionsOf(names: readonly string[], { config: named }: JudgeOptions): Promise<TestedQuestion[]> {
  const { loadConfig } = await import("../../config/load-config.ts");
  const { config } = await loadConfig(named);
  const own = config.judge ? judgeQuestions(config.judge) : [];
  return names.map((name) => {
    const found = own.find((question) => [name, `judge.${name}`, `conversation.${name}`].includes(question.name));
    return { name, question: found ?? toQuestion(readyJudge(requireReady(name) as (typeof readyJudgeNames)[number])) };
  });
}

async function test(names: readonly string[], options: JudgeOptions): Promise<void> {
  const tested = await questionsOf(names.length > 0 ? names : judgesWithCases, options);
  const own = options.cases === undefined ? undefined : await readCases(options.cases);
  await using opened = await openJudge(options);
  const results: Record<string, JudgeTest> = {};
  for (const { name, question } of tested) {
    const cases = own ?? (isReadyJudge(name) ? labelledCases(name) : []);
    if (cases.length === 0) throw new CliError(`${name} has no labelled cases: name a file with --cases`);
    requireVerdicts(cases, question);
    const result = await testJudge(opened.judge, { question, cases, signal: AbortSignal.timeout(3_600_000) });
    results[name] = result;
    if (!options.json) printTest(name, result);
  }
  if (options.json) printJson({ model: opened.model, judges: results });
  if (Object.values(results).every(({ judged }) => judged === 0)) process.exitCode = exitCodes.targetUnusable;
}

function requireVerdicts(cases: readonly JudgeCase[], { choices }: JudgeQuestion): void {
  const wrong = cases.find(({ verdict }) => !Object.hasOwn(choices, verdict));
  if (wrong)
    throw new CliError(`a case has the verdict "${wrong.verdict}": must be one of ${Object.keys(choices).join(", ")}`);
}

const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`;

function agreementText({ agreed, cases, agreement, interval, kappa }: JudgeTest): string {
  const range = interval ? ` (95 %: ${percent(interval.lower)} to ${percent(interval.upper)})` : "";
  return `agrees on ${agreed} of ${cases}, ${percent(agreement)}${range}, kappa ${kappa === null ? "–" : formatFigure(kappa)}`;
}

function printTest(name: string, result: JudgeTest): void {
  const unread = result.cases - result.judged;
  printMessage(
    `${name}: ${agreementText(result)}${unread > 0 ? `; ${counted(unread, "verdict")} void or unreadable` : ""}`,
  );
  for (const { case: asked, verdict, reason } of result.disagreements.slice(0, 5)) {
    const last = asked.turns.at(-1);
    printMessage(
      `  people: ${asked.verdict}, judge: ${verdict ?? "no verdict"}: ${JSON.stringify(last?.reply ?? "")}\n    ${reason.slice(0, 300)}`,
    );
  }
  if (result.disagreements.length > 5) printMessage(`  and ${result.disagreements.length - 5} more (--json has all)`);
}

async function tune(names: readonly string[], options: JudgeOptions): Promise<void> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) throw new CliError("judge tune needs the name of one judge");
  const [tested] = await questionsOf([name], options);
  if (!tested) throw new CliError(`there is no judge ${name}`);
  const cases =
    options.cases === undefined && isReadyJudge(name)
      ? labelledCases(name)
      : options.cases === undefined
        ? []
        : await readCases(options.cases);
  if (cases.length === 0)
    throw new CliError("judge tune needs --cases: a file with cases, or results with people's verdicts");
  requireVerdicts(cases, tested.question);
  await using opened = await openJudge(options);
  const tuned = await tuneJudge(opened.judge, {
    question: tested.question,
    cases,
    signal: AbortSignal.timeout(3_600_000),
  });
  if (options.json) return printJson(typeof tuned === "string" ? { message: tuned } : tuned);
  if (typeof tuned === "string") return note(tuned);
  printMessage(
    `The question, changed from ${counted(tuned.seen.disagreements.length, "disagreement")} on ${tuned.seen.cases} cases:\n`,
  );
  printMessage(`${tuned.proposal.replaceAll(/^/gm, "  ")}\n`);
  printMessage(`On the other ${tuned.before.cases} cases, which the change was not made from:`);
  printMessage(`  as it was: ${agreementText(tuned.before)}`);
  printMessage(`  changed:   ${agreementText(tuned.after)}`);
  const isBetter = tuned.after.agreed > tuned.before.agreed;
  note(
    isBetter
      ? `To use it, put the text under judge.rubrics in rehearsal.yaml as { name: ${name}, text: … }. So few cases leave much to chance: label more before you rely on it.`
      : "It agrees no better: keep the question as it was.",
  );
}

/** Cases in lines, as those of the ready-made judges, or the JSON lines of results with people's verdicts. */
async function readCases(path: string): Promise<readonly JudgeCase[]> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new CliError(`${path} cannot be read`);
  });
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  try {
    return lines.flatMap((line) => (line.startsWith("{") ? (verdictCase(line) ?? []) : readCase(line)));
  } catch (error) {
    throw new CliError(`${path}: ${error instanceof Error ? error.message : "is not a file of cases"}`);
  }
}

interface ResultLine {
  readonly user_message?: string;
  readonly agent_reply?: string;
  readonly reference_reply?: string;
  readonly tool_calls?: JudgeCase["turns"][number]["tool_calls"];
  readonly context?: JudgeCase["turns"][number]["context"];
  readonly verdicts?: readonly { readonly choice?: string | null }[];
}

/** A turn of `runs export --format jsonl`, with the last verdict on it; undefined without one. */
function verdictCase(line: string): JudgeCase | undefined {
  const {
    user_message = "",
    agent_reply = "",
    reference_reply = "",
    tool_calls = [],
    context = [],
    verdicts = [],
  } = JSON.parse(line) as ResultLine;
  const choice = verdicts.at(-1)?.choice;
  if (choice === undefined || choice === null) return undefined;
  const references = reference_reply === "" ? [] : [reference_reply];
  return {
    turns: [{ user_message, reply: agent_reply, references, tool_calls, context }],
    setting: {},
    verdict: choice,
  };
}
