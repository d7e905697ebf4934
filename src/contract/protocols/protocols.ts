/**
 * The protocols in which endpoints are asked. An entry here and its adapter in `src/models/protocols/adapters.ts` make a protocol: the
 * schemas, the API document, `--help`, credentials, the model list, the page and docs/reference/protocols.md read them.
 * This file imports no schema, so that the page and `--help` can load it.
 */

/** Where the answer `template` stands, the target of the run decides by its placeholders and pointers. */
interface Carries {
  /** `offered`: the tools of a world are offered to it. `own`: it has tools of its own. */
  readonly tools: "offered" | "own" | "template";
  /** Whether its answers show the tool calls it makes. */
  readonly calls: CallReporting | "template";
  /** `sent`: it is sent the whole conversation with every turn. `kept`: it keeps the conversation, and gets the last message. */
  readonly history: "sent" | "kept" | "template";
  /** True when it gets the system prompt of a scenario. */
  readonly system: boolean | "template";
  readonly images: boolean;
  readonly streams: boolean | "template";
  /** True when it may be sent the address of an MCP server with the tools of the world. */
  readonly world: boolean;
}

/**
 * Whether an answer shows the tool calls of an agent: `always`; of a model only those of tools that it was `offered`; `reported`
 * when the agent may report them, which is known once it has: its adapter leaves `reported_calls` away when an answer has no
 * report; or `never`.
 */
export type CallReporting = "always" | "offered" | "reported" | "never";

interface Described {
  /** Its name on the page. */
  readonly title: string;
  /** The kind of endpoint behind it, for the API document and the reference. */
  readonly about: string;
  readonly carries: Carries;
}

/** The API of models. */
export interface ModelProtocolFacts extends Described {
  readonly kind: "model";
  /** Completes a base URL. A bound key is sent with calls whose path ends like this. */
  readonly path: string;
  /** True when base URLs may lack the version: `…/anthropic` means `…/anthropic/v1`. */
  readonly addsVersion: boolean;
  /** The header of a provider's key. */
  readonly keyHeader: string;
}

/** `backend`: an agent backend that serves models like one. A bound key is sent by POST to exactly its address. */
interface BackendProtocolFacts extends Described {
  readonly kind: "backend";
  readonly keyHeader: string;
}

/** `agent`: other agents, for whom an address is enough. `template`: those that a target describes. Both may be targets. */
interface TargetProtocolFacts extends Described {
  readonly kind: "agent" | "template";
  /** True when the fields of a target's `body` are added to those that the protocol sends. */
  readonly addsBody?: boolean;
}

/** `code`: programs of this machine. `recorded`: nothing is called. Neither has an adapter. */
interface UncalledProtocolFacts extends Described {
  readonly kind: "code" | "recorded";
}

export type ProtocolFacts = ModelProtocolFacts | BackendProtocolFacts | TargetProtocolFacts | UncalledProtocolFacts;

const defineProtocol = <const Facts extends ProtocolFacts>(facts: Facts): Facts => facts;

const model = {
  kind: "model",
  addsVersion: false,
  keyHeader: "authorization",
  carries: {
    tools: "offered",
    calls: "offered",
    history: "sent",
    system: true,
    images: true,
    streams: true,
    world: false,
  },
} as const;

const code = {
  kind: "code",
  carries: {
    tools: "own",
    calls: "reported",
    history: "sent",
    system: true,
    images: false,
    streams: false,
    world: true,
  },
} as const;

export const protocols = {
  "openai-chat": defineProtocol({
    ...model,
    title: "OpenAI chat completions",
    about: "a model behind OpenAI's chat completions, which most servers have",
    path: "chat/completions",
  }),
  "openai-responses": defineProtocol({
    ...model,
    title: "OpenAI responses",
    about: "a model behind OpenAI's responses API; nothing is stored there",
    path: "responses",
  }),
  "anthropic-messages": defineProtocol({
    ...model,
    title: "Anthropic messages",
    about: "a model behind Anthropic's messages API",
    path: "messages",
    addsVersion: true,
    keyHeader: "x-api-key",
  }),
  agent: defineProtocol({
    kind: "backend",
    title: "Rehearsal agent (POST /)",
    about: "an agent backend of Rehearsal, or another with its `POST /`",
    keyHeader: "authorization",
    carries: {
      tools: "own",
      calls: "reported",
      history: "sent",
      system: true,
      images: false,
      streams: true,
      world: true,
    },
  }),
  http: defineProtocol({
    kind: "template",
    title: "HTTP agent",
    about: "an agent with an interface of its own, as a target describes it",
    carries: {
      tools: "template",
      calls: "template",
      history: "template",
      system: "template",
      images: false,
      streams: "template",
      world: true,
    },
  }),
  "ag-ui": defineProtocol({
    kind: "agent",
    title: "AG-UI agent",
    about: "an agent with the HTTP interface of AG-UI",
    carries: {
      tools: "own",
      calls: "always",
      history: "sent",
      system: true,
      images: false,
      streams: true,
      world: true,
    },
  }),
  a2a: defineProtocol({
    kind: "agent",
    title: "A2A agent",
    about: "an agent with A2A's JSON-RPC, version 1.0 or 0.3",
    carries: {
      tools: "own",
      calls: "reported",
      history: "kept",
      system: false,
      images: false,
      streams: false,
      world: true,
    },
  }),
  "ui-messages": defineProtocol({
    kind: "agent",
    addsBody: true,
    title: "AI SDK route",
    about: "a route made with the AI SDK (`toUIMessageStreamResponse`), as `useChat` calls it",
    carries: {
      tools: "own",
      calls: "always",
      history: "sent",
      system: false,
      images: true,
      streams: true,
      world: true,
    },
  }),
  langgraph: defineProtocol({
    kind: "agent",
    addsBody: true,
    title: "LangGraph server",
    about: "an assistant of a LangGraph server, by its address and the assistant's name",
    carries: {
      tools: "own",
      calls: "always",
      history: "template",
      system: false,
      images: true,
      streams: false,
      world: true,
    },
  }),
  module: defineProtocol({ ...code, title: "Function", about: "a function of a module on this machine" }),
  command: defineProtocol({ ...code, title: "Program", about: "a program on this machine that answers JSON lines" }),
  recorded: defineProtocol({
    kind: "recorded",
    title: "Recorded conversations",
    about: "nothing is called: the replies in `agent_reply` are stored and scored",
    carries: {
      tools: "own",
      calls: "always",
      history: "sent",
      system: true,
      images: true,
      streams: false,
      world: false,
    },
  }),
};

type Protocols = typeof protocols;
export type ProtocolName = keyof Protocols;

/** The names of the protocols of some kinds. */
export type ProtocolOf<Kind extends ProtocolFacts["kind"]> = {
  [Name in ProtocolName]: Protocols[Name]["kind"] extends Kind ? Name : never;
}[ProtocolName];

export function isProtocolOf<Kind extends ProtocolFacts["kind"]>(
  name: ProtocolName,
  ...kinds: readonly Kind[]
): name is ProtocolOf<Kind> {
  return (kinds as readonly string[]).includes(protocols[name].kind);
}

/** The names of the protocols of some kinds, in the order of the list. */
export function protocolNames<Kind extends ProtocolFacts["kind"]>(
  ...kinds: readonly Kind[]
): readonly ProtocolOf<Kind>[] {
  return (Object.keys(protocols) as ProtocolName[]).filter((name) => isProtocolOf(name, ...kinds));
}

/** The protocols that an address is enough for. `--protocol` and the page offer them. */
export const addressProtocols = () => protocolNames("model", "backend", "agent");
