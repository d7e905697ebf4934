/** The kinds of steps that spans show. Others, such as requests and queries, are `other`. */
export type SpanKind = "tool" | "model" | "retrieval" | "agent" | "embedding" | "other";

/** The attributes of a convention, by what they say. The first one that a span has counts. */
interface Convention {
  readonly name: string;
  /** The attributes that name the kind of a span, and the kinds by their values in lower case. */
  readonly kindAt?: readonly string[];
  readonly kinds?: Readonly<Record<string, SpanKind>>;
  /** Attributes that only spans of a kind have, for conventions that do not name it. */
  readonly shows?: Readonly<Partial<Record<Exclude<SpanKind, "other">, readonly string[]>>>;
  readonly session?: readonly string[];
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly tool?: {
    readonly name?: readonly string[];
    readonly id?: readonly string[];
    readonly arguments?: readonly string[];
    readonly result?: readonly string[];
  };
  readonly model?: {
    readonly name?: readonly string[];
    /** Tokens, or an object with counts. */
    readonly inputTokens?: readonly string[];
    readonly outputTokens?: readonly string[];
    readonly usage?: readonly string[];
    /** US dollars, or an object with a `total`. */
    readonly cost?: readonly string[];
    readonly finish?: readonly string[];
  };
  readonly agent?: readonly string[];
  /** Retrieved documents, as a list or as attributes numbered from 0. */
  readonly documents?: readonly string[];
}

/**
 * The conventions by which instrumentations describe what an agent does. Where a span follows several, the first one counts: special
 * ones come before those they are built on.
 */
export const conventions: readonly Convention[] = [
  {
    name: "LangSmith",
    kindAt: ["langsmith.span.kind"],
    kinds: {
      llm: "model",
      tool: "tool",
      retriever: "retrieval",
      embedding: "embedding",
      chain: "other",
      prompt: "other",
      parser: "other",
    },
    session: ["langsmith.trace.session_id", "langsmith.metadata.thread_id", "langsmith.metadata.session_id"],
    tool: { arguments: ["gen_ai.prompt"], result: ["gen_ai.completion"] },
    documents: ["gen_ai.completion"],
  },
  {
    name: "OpenInference",
    kindAt: ["openinference.span.kind"],
    kinds: {
      llm: "model",
      tool: "tool",
      retriever: "retrieval",
      reranker: "other",
      embedding: "embedding",
      agent: "agent",
      chain: "other",
      guardrail: "other",
      evaluator: "other",
      prompt: "other",
    },
    shows: { tool: ["tool.name"] },
    session: ["session.id"],
    input: ["input.value"],
    output: ["output.value"],
    tool: {
      name: ["tool.name"],
      id: ["tool_call.id", "tool.id"],
      arguments: ["tool_call.function.arguments", "input.value", "tool.parameters"],
      result: ["output.value"],
    },
    model: {
      name: ["llm.model_name"],
      inputTokens: ["llm.token_count.prompt"],
      outputTokens: ["llm.token_count.completion"],
      cost: ["llm.cost.total"],
      finish: ["llm.finish_reason"],
    },
    agent: ["agent.name"],
    documents: ["retrieval.documents"],
  },
  {
    name: "MLflow",
    kindAt: ["mlflow.spanType"],
    kinds: {
      llm: "model",
      chat_model: "model",
      tool: "tool",
      retriever: "retrieval",
      embedding: "embedding",
      agent: "agent",
      chain: "other",
      reranker: "other",
      parser: "other",
      memory: "other",
    },
    session: ["mlflow.trace.session"],
    input: ["mlflow.spanInputs"],
    output: ["mlflow.spanOutputs"],
    tool: { arguments: ["mlflow.spanInputs"], result: ["mlflow.spanOutputs"] },
    model: {
      name: ["mlflow.chat.model", "mlflow.llm.model"],
      usage: ["mlflow.chat.tokenUsage"],
      cost: ["mlflow.llm.cost"],
    },
    documents: ["mlflow.spanOutputs"],
  },
  {
    name: "Langfuse",
    kindAt: ["langfuse.observation.type"],
    kinds: {
      generation: "model",
      tool: "tool",
      retriever: "retrieval",
      embedding: "embedding",
      agent: "agent",
      span: "other",
      chain: "other",
      event: "other",
    },
    session: ["langfuse.session.id"],
    input: ["langfuse.observation.input", "langfuse.trace.input"],
    output: ["langfuse.observation.output", "langfuse.trace.output"],
    tool: { arguments: ["langfuse.observation.input"], result: ["langfuse.observation.output"] },
    model: {
      name: ["langfuse.observation.model.name"],
      usage: ["langfuse.observation.usage_details"],
      cost: ["langfuse.observation.cost_details"],
    },
    documents: ["langfuse.observation.output"],
  },
  {
    name: "Mastra",
    kindAt: ["mastra.span.type"],
    kinds: {
      tool_call: "tool",
      mcp_tool_call: "tool",
      model_generation: "model",
      model_step: "other",
      model_chunk: "other",
      agent_run: "agent",
      workflow_run: "agent",
    },
    tool: {
      name: ["mastra.tool_call.name"],
      arguments: ["mastra.tool_call.input", "mastra.mcp_tool_call.input"],
      result: ["mastra.tool_call.output", "mastra.mcp_tool_call.output"],
    },
  },
  {
    name: "OpenLLMetry",
    kindAt: ["traceloop.span.kind"],
    kinds: { tool: "tool", agent: "agent", workflow: "other", task: "other" },
    shows: { model: ["llm.request.type"] },
    input: ["traceloop.entity.input"],
    output: ["traceloop.entity.output"],
    tool: {
      name: ["traceloop.entity.name"],
      arguments: ["traceloop.entity.input"],
      result: ["traceloop.entity.output"],
    },
    model: {
      inputTokens: ["llm.usage.prompt_tokens"],
      outputTokens: ["llm.usage.completion_tokens"],
      finish: ["gen_ai.completion.0.finish_reason"],
    },
    agent: ["traceloop.entity.name"],
  },
  {
    name: "Vercel AI SDK",
    kindAt: ["ai.operationId"],
    kinds: {
      "ai.toolcall": "tool",
      "ai.generatetext": "agent",
      "ai.streamtext": "agent",
      "ai.generateobject": "agent",
      "ai.streamobject": "agent",
      "ai.generatetext.dogenerate": "model",
      "ai.streamtext.dostream": "model",
      "ai.generateobject.dogenerate": "model",
      "ai.streamobject.dostream": "model",
      "ai.embed": "embedding",
      "ai.embed.doembed": "embedding",
      "ai.embedmany": "embedding",
      "ai.embedmany.doembed": "embedding",
    },
    shows: { tool: ["ai.toolCall.name"], model: ["ai.prompt.messages"] },
    input: ["ai.prompt"],
    output: ["ai.response.text"],
    tool: {
      name: ["ai.toolCall.name"],
      id: ["ai.toolCall.id"],
      arguments: ["ai.toolCall.args", "ai.toolCall.input"],
      result: ["ai.toolCall.result", "ai.toolCall.output"],
    },
    model: {
      name: ["ai.response.model", "ai.model.id"],
      inputTokens: ["ai.usage.inputTokens", "ai.usage.promptTokens"],
      outputTokens: ["ai.usage.outputTokens", "ai.usage.completionTokens"],
      finish: ["ai.response.finishReason"],
    },
    agent: ["ai.telemetry.functionId"],
  },
  {
    name: "Google ADK",
    tool: {
      arguments: ["gcp.vertex.agent.tool_call_args"],
      result: ["gcp.vertex.agent.tool_response"],
    },
    shows: { model: ["gcp.vertex.agent.llm_request"] },
    input: ["gcp.vertex.agent.llm_request"],
    output: ["gcp.vertex.agent.llm_response"],
  },
  {
    name: "Pydantic AI and Logfire",
    tool: { arguments: ["tool_arguments"], result: ["tool_response"] },
    shows: { agent: ["agent_name", "pydantic_ai.all_messages", "all_messages_events"] },
    model: { cost: ["operation.cost"] },
    agent: ["agent_name"],
  },
  {
    // Last: most of the others are built on it.
    name: "OpenTelemetry GenAI",
    kindAt: ["gen_ai.operation.name"],
    kinds: {
      chat: "model",
      text_completion: "model",
      generate_content: "model",
      execute_tool: "tool",
      invoke_agent: "agent",
      create_agent: "agent",
      invoke_workflow: "agent",
      retrieval: "retrieval",
      embeddings: "embedding",
    },
    shows: {
      tool: ["gen_ai.tool.name"],
      model: ["gen_ai.prompt.0.role", "gen_ai.prompt", "gen_ai.input.messages", "gen_ai.output.messages"],
    },
    session: ["gen_ai.conversation.id", "thread.id"],
    tool: {
      name: ["gen_ai.tool.name"],
      id: ["gen_ai.tool.call.id"],
      arguments: ["gen_ai.tool.call.arguments"],
      result: ["gen_ai.tool.call.result"],
    },
    model: {
      name: ["gen_ai.response.model", "gen_ai.request.model"],
      inputTokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
      outputTokens: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
      cost: ["gen_ai.usage.cost"],
      finish: ["gen_ai.response.finish_reasons"],
    },
    agent: ["gen_ai.agent.name"],
    documents: ["gen_ai.retrieval.documents"],
  },
];
