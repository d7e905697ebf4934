import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ApiExample, ApiExamples } from "./api-example.ts";

const run = promisify(execFile);

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Addresses {
  readonly agent: string;
  readonly evaluation: string;
}

/** Runs the examples of a service in their order, against services at these addresses; the answers by operation id. */
export async function runExamples(examples: ApiExamples, addresses: Addresses): Promise<Record<string, Answer>> {
  const variables: Record<string, string> = {};
  // A comparison needs a second run.
  if (examples["evaluate"]) {
    await runExample(examples["evaluate"], addresses, variables);
    variables["other_run_id"] = variables["run_id"] ?? "";
  }
  const answers: Record<string, Answer> = {};
  for (const [id, example] of Object.entries(examples)) answers[id] = await runExample(example, addresses, variables);
  return answers;
}

async function runExample(
  { command, keep }: ApiExample,
  { agent, evaluation }: Addresses,
  variables: Record<string, string>,
): Promise<Answer> {
  const here = command.replaceAll("http://127.0.0.1:8000", agent).replaceAll("http://127.0.0.1:8001", evaluation);
  const env = { PATH: process.env["PATH"] ?? "", ...variables };
  const { stdout } = await run("sh", ["-c", `${here} --include`], { env, maxBuffer: 64 * 1024 * 1024 });
  const end = stdout.indexOf("\r\n\r\n");
  const [head, body] = [stdout.slice(0, end), stdout.slice(end + 4)];
  if (keep) variables[keep.name] = "field" in keep ? fieldOf(body, keep.field) : headerOf(head, keep.header);
  return { status: Number(/^HTTP\/[\d.]+ (\d{3})/.exec(head)?.[1]), body };
}

const fieldOf = (body: string, field: string): string =>
  String((JSON.parse(body) as Record<string, unknown>)[field] ?? "");

const headerOf = (head: string, name: string): string =>
  new RegExp(`^${name}: *(.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
