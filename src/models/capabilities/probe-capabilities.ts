import type { ChatModel, ChatRequest, ModelParameters, Reply } from "../../contract/model.ts";
import { no, unknown, yes, type CapabilityReport, type Finding } from "./capabilities.ts";
import {
  greeting,
  judgeFailure,
  parallelQuestion,
  schemaQuestion,
  toolQuestion,
  type CapabilityQuestion,
} from "./capability-questions.ts";

/** Enough for a model that thinks first; a limit, so that one that rambles costs little. */
const bounded: ModelParameters = { max_tokens: 512 };

/**
 * Finds out by trying, with at most six small calls one after the other, what a model can do. Never throws: what could not
 * be found out is unknown, with the reason.
 */
export async function probeCapabilities(
  model: ChatModel,
  { signal }: { signal: AbortSignal },
): Promise<CapabilityReport> {
  const probe = new Probe(model, signal);
  const { streaming, streaming_usage } = await probe.greet();
  // A model that cannot even be greeted is not asked anything else.
  const reachable = streaming.verdict === "yes" || streaming.verdict === "no";
  const find = async (question: CapabilityQuestion) => (reachable ? probe.find(question) : unknown(streaming.detail));
  const tools = await find(toolQuestion);
  const parallel_tools = tools.verdict === "yes" ? await find(parallelQuestion) : tools;
  const json_schema = await find(schemaQuestion);
  return {
    capabilities: { streaming, streaming_usage, tools, parallel_tools, json_schema },
    tokens: probe.tokens,
  };
}

class Probe {
  readonly #model: ChatModel;
  readonly #signal: AbortSignal;
  #parameters: ModelParameters | undefined = bounded;
  tokens = 0;

  constructor(model: ChatModel, signal: AbortSignal) {
    this.#model = model;
    this.#signal = signal;
  }

  /** The first call. It also shows whether the endpoint takes our limit: some want it under another name, and refuse this one. */
  async greet(): Promise<{ streaming: Finding; streaming_usage: Finding }> {
    let reply = await this.#call(greeting, { stream: true });
    if (reply && !reply.ok && reply.error.code === "upstream_rejected") {
      this.#parameters = undefined;
      reply = await this.#call(greeting, { stream: true });
    }
    if (!reply?.ok) {
      const finding = unknown(reply?.error.detail ?? interrupted);
      return { streaming: finding, streaming_usage: finding };
    }
    if (reply.first_token_ms === null) {
      const finding = no("The reply came in one piece although a stream was asked for.");
      return { streaming: finding, streaming_usage: finding };
    }
    const streaming_usage = reply.usage
      ? yes("The stream ended with the tokens it cost.")
      : no("The stream did not say what tokens it cost.");
    return { streaming: yes("The reply came in pieces."), streaming_usage };
  }

  async find({ request, judge }: CapabilityQuestion): Promise<Finding> {
    const reply = await this.#call(request, { stream: false });
    if (!reply) return unknown(interrupted);
    return reply.ok ? judge(reply) : judgeFailure(reply);
  }

  /** Null when the caller gave up, or the model broke its contract. */
  async #call(request: ChatRequest, { stream }: { stream: boolean }): Promise<Reply | null> {
    const asked = this.#parameters ? { ...request, parameters: this.#parameters } : request;
    try {
      this.#signal.throwIfAborted();
      const reply = await this.#model(asked, { signal: this.#signal, ...(stream && { onText: () => {} }) });
      if (reply.ok) this.tokens += reply.usage?.total_tokens ?? 0;
      return reply;
    } catch {
      return null;
    }
  }
}

const interrupted = "The question was interrupted.";
