import type { ChatRequest, Reply, SuccessfulReply, ToolDefinition } from "../../contract/model.ts";
import { no, unknown, yes, type Finding } from "./capabilities.ts";

/** One small request, and what its reply shows. */
export interface CapabilityQuestion {
  readonly request: ChatRequest;
  readonly judge: (reply: SuccessfulReply) => Finding;
}

const thermometer: ToolDefinition = {
  name: "get_temperature",
  description: "Reads the thermometer of a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city" } },
    required: ["city"],
    additionalProperties: false,
  },
};

const ask = (content: string): Pick<ChatRequest, "messages"> => ({ messages: [{ role: "user", content }] });

export const greeting: ChatRequest = ask("Reply with the single word: ready");

export const toolQuestion: CapabilityQuestion = {
  request: {
    ...ask("How warm is it in Paris right now? Use the get_temperature tool."),
    tools: [thermometer],
  },
  judge: ({ tool_calls }) =>
    tool_calls.some(({ name }) => name === thermometer.name)
      ? yes("It called the tool it was offered.")
      : no("It answered without calling the tool it was told to use."),
};

export const parallelQuestion: CapabilityQuestion = {
  request: {
    ...ask(
      "How warm is it right now in Paris, in Rome and in Oslo? Call get_temperature for all three at the same time.",
    ),
    tools: [thermometer],
  },
  judge: ({ tool_calls }) =>
    tool_calls.length > 1
      ? yes(`It made ${tool_calls.length} calls in one turn.`)
      : no("It made one call where three were asked for at once."),
};

export const schemaQuestion: CapabilityQuestion = {
  request: {
    ...ask("It is 21 degrees Celsius in Paris today. Give me the city and the degrees."),
    format: {
      name: "reading",
      schema: {
        type: "object",
        properties: { city: { type: "string" }, celsius: { type: "integer" } },
        required: ["city", "celsius"],
        additionalProperties: false,
      },
    },
  },
  judge: ({ text }) =>
    isReading(text)
      ? yes("It kept to the schema it was given.")
      : no("Its reply does not fit the schema it was given."),
};

/** What a failed call says about the capability it was about: only a refused request is an answer. */
export function judgeFailure({ error }: Extract<Reply, { ok: false }>): Finding {
  const refused = error.code === "upstream_rejected" && !error.lacks_credit;
  return refused ? no("The endpoint refused the request.") : unknown(error.detail);
}

function isReading(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return false;
    const { city, celsius, ...rest } = value as Record<string, unknown>;
    return typeof city === "string" && Number.isInteger(celsius) && Object.keys(rest).length === 0;
  } catch {
    return false;
  }
}
