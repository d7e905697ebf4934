// The process that talks with programs that read lines and print text, one for each conversation. See protocol.ts.
import { spawn, type ChildProcess } from "node:child_process";
// oxlint-disable-next-line no-restricted-imports -- a pipe of this process, not a connection
import { Socket } from "node:net";
import { isRecord } from "../../base/json.ts";
import { residentMegabytes } from "./code-process.ts";
import { createLineSplitter, type CodeAnswer, type Question } from "./protocol.ts";

export interface LinesParams {
  readonly command: string;
  readonly arguments: readonly string[];
  /** Megabytes that one program may use. */
  readonly memory_mb: number;
  /** Printed when the program waits for the next line. */
  readonly prompt?: string | undefined;
  /** The turn is over when nothing was printed for so long. Default without a prompt: one second. */
  readonly quiet_ms?: number | undefined;
}

interface ReplyParams {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly session_id?: string;
  readonly timeout_ms: number;
}

const longestOutput = 8_000_000;
const keptError = 2_000;
const startMs = 2_000;
const memoryCheckMs = 200;

/** Ends this process and those it has started when the one that started it is gone. */
const lifeline = new Socket({ fd: 4, readable: true, writable: false });
const endGroup = (): void => {
  try {
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.kill(process.pid, "SIGKILL");
  }
};
lifeline.on("error", endGroup).on("close", endGroup).resume();

/** One run of the program. */
class Conversation {
  readonly #params: LinesParams;
  readonly #child: ChildProcess;
  #printed = "";
  #errors = "";
  #ended: string | null = null;
  #wake: () => void = () => {};
  /** What it printed before the first message. */
  greeting: string | undefined;
  #isGreeted = false;

  constructor(params: LinesParams) {
    this.#params = params;
    this.#child = spawn(params.command, params.arguments, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdout, stderr]) stream?.setEncoding("utf8");
    stdout?.on("data", (chunk: string) => {
      this.#printed = (this.#printed + chunk).slice(0, longestOutput);
      this.#wake();
    });
    stderr?.on("data", (chunk: string) => {
      this.#errors = (this.#errors + chunk).slice(-keptError);
      process.stderr.write(chunk);
    });
    stdin?.on("error", () => {});
    const watch = setInterval(async () => {
      const used = this.#child.pid === undefined ? null : await residentMegabytes(this.#child.pid);
      if (used === null || used <= params.memory_mb) return;
      this.#end(`it used more than ${params.memory_mb} MB of memory`);
      this.end();
    }, memoryCheckMs);
    this.#child.once("close", () => clearInterval(watch));
    this.#child.once("error", (error) => this.#end(`it could not be started: ${error.message}`));
    this.#child.once("close", (code, signal) => {
      this.#end(`its process ended ${code === null ? `by ${signal}` : `with exit code ${code}`}`);
    });
  }

  async ask(text: string, timeoutMs: number): Promise<string> {
    if (!this.#isGreeted) {
      const greeting = await this.#read(timeoutMs, { mayBeSilent: true });
      this.#isGreeted = true;
      if (greeting !== "") this.greeting = greeting;
    }
    if (this.#ended !== null) throw this.#failure();
    this.#printed = "";
    // A message is one line: the program would take a second line for another message.
    this.#child.stdin?.write(
      `${text
        .split("\n")
        .map((line) => line.trim())
        .join(" ")}\n`,
    );
    const reply = await this.#read(timeoutMs, { mayBeSilent: false });
    if (reply === "" && this.#ended !== null) throw this.#failure();
    return reply;
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  /** The text up to the prompt, or until the program is quiet or has ended. */
  async #read(timeoutMs: number, { mayBeSilent }: { mayBeSilent: boolean }): Promise<string> {
    const { prompt, quiet_ms = prompt === undefined ? 1_000 : timeoutMs } = this.#params;
    const deadline = performance.now() + timeoutMs - 500;
    for (let seen = -1; ;) {
      if (prompt !== undefined && this.#printed.trimEnd().endsWith(prompt.trimEnd())) {
        return this.#printed.trimEnd().slice(0, -prompt.trimEnd().length).trim();
      }
      if (this.#ended !== null) return this.#printed.trim();
      const isQuiet = seen === this.#printed.length && (mayBeSilent || this.#printed.trim() !== "");
      if (isQuiet && prompt === undefined) return this.#printed.trim();
      if (performance.now() > deadline) {
        const what = prompt === undefined ? "printed nothing" : `did not print its prompt ${JSON.stringify(prompt)}`;
        throw new Error(`the program ${what} within ${Math.round(timeoutMs / 1_000)} s`);
      }
      seen = this.#printed.length;
      // A program that says nothing at first may still be starting.
      const patience = mayBeSilent && seen === 0 ? Math.max(quiet_ms, startMs) : quiet_ms;
      await this.#change(Math.min(patience, Math.max(1, deadline - performance.now() + 1)));
    }
  }

  /** Waits until something is printed, or for so long. */
  #change(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#wake();
  }

  #failure(): Error {
    const last = this.#errors.trim();
    return new Error(`the program gave no reply: ${this.#ended}${last === "" ? "" : `\n${last}`}`);
  }
}

const conversations = new Map<string, Conversation>();
let params: LinesParams = { command: "", arguments: [], memory_mb: Infinity };

async function reply({ messages, session_id: id = "", timeout_ms }: ReplyParams): Promise<unknown> {
  const known = conversations.get(id);
  const conversation = known ?? new Conversation(params);
  if (id !== "") conversations.set(id, conversation);
  const last = messages.findLast(({ role }) => role === "user")?.content;
  try {
    const text = await conversation.ask(typeof last === "string" ? last : "", timeout_ms);
    const { greeting } = conversation;
    return { text, ...(!known && greeting !== undefined && { greeting }) };
  } catch (error) {
    endConversation({ session_id: id });
    throw error;
  } finally {
    if (id === "") conversation.end();
  }
}

function endConversation({ session_id: id }: { readonly session_id: string }): null {
  conversations.get(id)?.end();
  conversations.delete(id);
  return null;
}

async function answer({ id, method, params: asked }: Question): Promise<CodeAnswer> {
  try {
    if (method === "start" && isRecord(asked)) params = asked as unknown as LinesParams;
    if (method === "reply") return { id, result: await reply(asked as ReplyParams) };
    if (method === "session.end") endConversation(asked as { session_id: string });
    return { id, result: null };
  } catch (error) {
    return { id, error: { message: error instanceof Error ? error.message : String(error) } };
  }
}

const answers = new Socket({ fd: 3, readable: false, writable: true });
const receive = createLineSplitter(async (line) => {
  answers.write(`${JSON.stringify(await answer(JSON.parse(line) as Question))}\n`);
});
process.stdin.setEncoding("utf8");
process.stdin.on("data", receive).on("end", () => endGroup());
