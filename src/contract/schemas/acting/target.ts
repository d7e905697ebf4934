import { z } from "zod";
import { protocolNames, protocols, type CallReporting, type ProtocolName } from "../../protocols/protocols.ts";
import { filesOnly } from "../../../scoring/checks/files-only.ts";
import { JsonValue } from "./tool-call.ts";
import { WorldAddress } from "./world.ts";

/** Replaced by values of the call in the URL, the headers and the body of a target. */
export const templateVariables = [
  "messages",
  "history",
  "message",
  "system",
  "tools",
  "session_id",
  "model",
  "stream",
  "traceparent",
  "baggage",
  "trace_id",
] as const;
export type TemplateVariable = (typeof templateVariables)[number];

const AnswerPointer = z
  .string()
  .max(1_000)
  .regex(/^(?:\/.*)?$/s, "must be a JSON pointer: empty, or starting with /");

const CallField = z
  .string()
  .min(1)
  .max(1_000)
  .describe("A field of a call, by its name or, if it begins with /, by a JSON pointer.");

const CallPlaces = z
  .object({
    at: AnswerPointer.describe("Where the answer lists tool calls."),
    id: CallField.optional(),
    name: CallField.optional(),
    arguments: CallField.optional(),
    result: CallField.optional(),
    optional: z
      .boolean()
      .optional()
      .describe("True: an answer without this place has made no calls. Default: it cannot tell."),
  })
  .meta({ id: "CallPlaces" });
export type CallPlaces = z.infer<typeof CallPlaces>;

const HeaderPrefix = z.string().max(100).optional().describe('Written before the secret, such as "Bearer ".');

/** A header's text with placeholders, or a secret by the name of an environment variable or from a command. */
const TargetHeader = z
  .union([
    z.string().max(8_000),
    z.object({
      env: z
        .string()
        .max(200)
        .regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable")
        .describe("The variable that holds the secret. It must be bound to the address and the method of the target."),
      prefix: HeaderPrefix,
    }),
    z
      .object({
        command: z
          .string()
          .min(1)
          .max(4_000)
          .describe("A command of this machine that prints the secret, such as a token."),
        ttl: z
          .number()
          .min(1)
          .max(86_400)
          .optional()
          .describe("Seconds for which its output is used. Default: 600. An answer with status 401 ends them early."),
        prefix: HeaderPrefix,
      })
      .register(filesOnly),
  ])
  .meta({ id: "TargetHeader" });
export type TargetHeader = z.infer<typeof TargetHeader>;

const TargetHeaders = z.record(
  z
    .string()
    .max(100)
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, "must be the name of a header"),
  TargetHeader,
);

const Capture = z.union([AnswerPointer, z.object({ header: z.string().min(1).max(100) })]).meta({ id: "Capture" });
export type Capture = z.infer<typeof Capture>;

const Captures = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,39}$/, "must be a word"), Capture)
  .describe("Values of the answer that later requests of the attempt use as placeholders, by JSON pointer or header.");

const Scalar = z.union([z.string().max(1_000), z.number(), z.boolean()]);

const Condition = z
  .union([AnswerPointer, z.object({ at: AnswerPointer, is: z.union([Scalar, z.array(Scalar).min(1).max(20)]) })])
  .meta({ id: "Condition" });
export type Condition = z.infer<typeof Condition>;

/** A request around the turns of an attempt. */
const targetStep = {
  url: z
    .string()
    .min(1)
    .max(2048)
    .describe("An address, or a path at the origin of the target, which begins with a slash."),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional().describe("Default: POST with a body, else GET."),
  headers: TargetHeaders.optional().describe("Default: those of the target."),
  body: JsonValue.optional(),
  capture: Captures.optional(),
};
const TargetStep = z.object(targetStep).meta({ id: "TargetStep" });
export type TargetStep = z.infer<typeof TargetStep>;

const seconds = (least: number, most: number) => z.number().min(least).max(most).optional();

const TargetPoll = z
  .object({
    ...targetStep,
    until: Condition.optional().describe(
      "Where the answer that has the reply differs from the others: a value there, or one of the values in `is`.",
    ),
    quiet: seconds(0, 600).describe(
      "Ends the poll when the agent has spoken, and has said nothing new for these seconds.",
    ),
    fail: Condition.optional().describe("A value here makes the turn a failure."),
    every: seconds(0.05, 600).describe("Seconds between two requests. Default: 1."),
    timeout: seconds(0.1, 3_600).describe("Seconds after which the turn has failed. Default: 300."),
  })
  .meta({ id: "TargetPoll" });

const TargetSocket = z
  .object({
    until: Condition.optional().describe("The message that ends the agent's turn."),
    quiet: seconds(0.05, 600).describe(
      "Ends the agent's turn when no message came for these seconds. Default without `until`: 2.",
    ),
    only: Condition.optional().describe("Only messages with this value are read."),
    greeting: z.boolean().optional().describe("True: the agent speaks first, and its first turn is a greeting."),
    timeout: seconds(0.1, 3_600).describe("Seconds after which the turn has failed. Default: 120."),
  })
  .meta({ id: "TargetSocket" });

/** How long a turn waits for its spans: batches of most exporters leave after 5 seconds. */
const defaultSpansWaitMs = 10_000;

export const SpanSettings = {
  spans: z
    .boolean()
    .optional()
    .describe(
      "True when the agent sends OpenTelemetry spans of its tool calls: a turn whose spans do not come has unknown calls, where it would have those of the reply. Default: false; spans that come are used all the same.",
    ),
  spans_wait_ms: z
    .int()
    .min(0)
    .max(300_000)
    .optional()
    .describe(
      `How long a turn waits for its spans once any came, or with \`spans\`, in milliseconds. Default: ${defaultSpansWaitMs}.`,
    ),
};

/** An agent behind HTTP: how it is asked, and where its answer has the reply. */
export const Target = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe("The address that is called, also that of a WebSocket. Placeholders may stand in its path and query."),
    protocol: z
      .enum(protocolNames("template", "agent"))
      .optional()
      .describe(
        `\`http\` (default): the request is made from \`body\`. These have a body of their own: ${protocolNames("agent")
          .map((name) => `\`${name}\` (${protocols[name].about})`)
          .join(", ")}.`,
      ),
    method: z.enum(["GET", "POST", "PUT", "PATCH"]).optional().describe("Default: POST."),
    headers: TargetHeaders.optional(),
    body: JsonValue.optional().describe(
      'The body as JSON; with `ui-messages` and `langgraph`, an object whose fields are added to the body. A text that is a placeholder alone, such as "{{messages}}", is replaced by its value; others are filled in. Sent as a form when the content-type header says so; a text is sent as it is.',
    ),
    reply: AnswerPointer.optional().describe(
      "Where the answer has the reply. `*` stands for every element of a list; -1 for its last one. Default: the whole answer as text.",
    ),
    tool_calls: z
      .union([AnswerPointer, CallPlaces])
      .optional()
      .describe(
        "Where the answer lists tool calls, and the fields of a call that have other names than usual. Without it, or where the answer has null, nothing, or nothing that can be read as a call there, calls are not seen.",
      ),
    usage: AnswerPointer.optional().describe("Where the answer has token counts."),
    labels: AnswerPointer.optional().describe("Where the answer has labels of the reply."),
    context: z
      .object({ at: AnswerPointer })
      .optional()
      .describe(
        "Where the answer lists the passages that the agent retrieved: texts, or objects with `text` (or `content`, `page_content`), `id`, `source` and `score`.",
      ),
    session: AnswerPointer.optional().describe(
      "Where the answer has the id of a session that the target made; later turns send it as `session_id`.",
    ),
    error: AnswerPointer.optional().describe("A value here makes the answer a failure."),
    stream: z
      .object({
        delta: AnswerPointer.describe("Where an event has the next piece of the reply."),
        event: z.string().max(100).optional().describe("Only events with this name have pieces. Default: all."),
        format: z.enum(["sse", "ndjson"]).optional().describe("Default: by the content type of the answer."),
      })
      .optional()
      .describe("How a streamed answer is read."),
    idempotent: z
      .boolean()
      .optional()
      .describe(
        "False: a request that the target may have acted on is not sent again. Default: true when the body has the whole conversation.",
      ),
    before: z
      .array(TargetStep)
      .min(1)
      .max(10)
      .optional()
      .describe(
        "Requests before the first turn of each attempt, in order. A captured `greeting` is what the agent says first.",
      ),
    after: z.array(TargetStep).min(1).max(10).optional().describe("Requests after the last turn of each attempt."),
    capture: Captures.optional(),
    poll: TargetPoll.optional().describe("How the reply is fetched when the answer to a turn does not have it yet."),
    cookies: z
      .boolean()
      .optional()
      .describe("True: cookies that the target sets are sent back, for each attempt alone."),
    socket: TargetSocket.optional().describe("How the turns of an agent behind a WebSocket (`ws://`, `wss://`) end."),
    assistant: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("The assistant of a LangGraph server: the name of its graph, or an id. Default: the model of the run."),
    stateless: z
      .boolean()
      .optional()
      .describe(
        "True: a LangGraph server keeps no thread, and is sent the whole conversation with every turn. Default: a thread for each attempt.",
      ),
    world: WorldAddress.optional().describe(
      "Where the target expects the address of a private MCP server with the tools of the world.",
    ),
    ...SpanSettings,
  })
  .meta({ id: "Target" });
export type Target = z.infer<typeof Target>;

const codeEnvironment = {
  ...SpanSettings,
  env: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable"))
    .max(100)
    .optional()
    .describe("Names of the environment variables that its process gets, besides those in REHEARSAL_CODE_ENV."),
};

/** A target on this machine. Never accepted in an HTTP request. */
export const LocalTarget = z
  .union([
    z.object({
      module: z
        .string()
        .min(1)
        .max(4_000)
        .describe(
          "A module that exports `reply(messages, options)`, or a Python file with such a function: `agent.py`, `agent.py:answer`.",
        ),
      ...codeEnvironment,
    }),
    z.object({
      command: z.string().min(1).max(4_000).describe("A program that answers JSON lines."),
      folder: z.string().max(4_000).optional().describe("Where it is started."),
      mode: z
        .enum(["json", "lines"])
        .optional()
        .describe(
          "`json` (default): it answers JSON lines. `lines`: it reads what the user says as a line, and prints its reply, once for each attempt.",
        ),
      prompt: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe("With `lines`: what it prints when it waits for the user, such as `You: `, which ends its turn."),
      quiet: seconds(0.05, 600).describe(
        "With `lines`: its turn ends when it printed nothing for these seconds. Default without a prompt: 1.",
      ),
      ...codeEnvironment,
    }),
  ])
  .meta({ id: "LocalTarget" })
  .register(filesOnly);
export type LocalTarget = z.infer<typeof LocalTarget>;

/** A target that the service knows by name. */
export const DeclaredTarget = z
  .object({
    target: z
      .string()
      .min(1)
      .max(64)
      .describe("A name under `targets` in the `rehearsal.yaml` of the folder in which the service was started."),
  })
  .meta({ id: "DeclaredTarget" });
export type DeclaredTarget = z.infer<typeof DeclaredTarget>;

export const isLocalTarget = (target: Target | LocalTarget): target is LocalTarget => !("url" in target);

/** The address of a target as runs store and show it. */
export function targetAddress(target: Target | LocalTarget): string {
  if ("url" in target) return target.url;
  return "module" in target ? `module:${target.module}` : `command:${target.command}`;
}

interface TargetSettings {
  readonly protocol: ProtocolName;
  readonly target?: Target | LocalTarget | undefined;
  readonly spans?: boolean | undefined;
}

interface SpanFields {
  readonly spans?: boolean | undefined;
  readonly spans_wait_ms?: number | undefined;
}

/** Whether the agent shows its calls by spans, and how long a turn waits for them. The target's own settings come first. */
export function spanSettings({
  target,
  spans,
  spans_wait_ms,
}: SpanFields & { readonly target?: SpanFields | undefined }): {
  readonly areDeclared: boolean;
  readonly waitMs: number;
} {
  return {
    areDeclared: target?.spans ?? spans ?? false,
    waitMs: target?.spans_wait_ms ?? spans_wait_ms ?? defaultSpansWaitMs,
  };
}

/** True when the tools of a world are offered to the endpoint. Other agents have tools of their own. */
export function offersTools({ protocol, target }: TargetSettings): boolean {
  const { tools } = protocols[protocol].carries;
  if (tools === "template") return /\{\{\s*tools\s*\}\}/.test(JSON.stringify(target ?? null));
  return tools === "offered";
}

/** Whether the answers of an endpoint show the tool calls of an agent. */
export function callReporting({ protocol, target, spans }: TargetSettings): CallReporting {
  if (spanSettings({ target, spans }).areDeclared) return "reported";
  const { calls } = protocols[protocol].carries;
  if (calls !== "template") return calls;
  return target && "tool_calls" in target && target.tool_calls !== undefined ? "reported" : "never";
}

/** True when attempts of a run act in the worlds of its scenarios: by tools that are offered, or through a private endpoint. */
export function actsInWorld(settings: TargetSettings & { readonly world_address?: unknown }): boolean {
  return settings.world_address !== undefined || offersTools(settings);
}
