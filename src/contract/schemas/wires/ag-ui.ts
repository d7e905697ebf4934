import { z } from "zod";

const Text = z.looseObject({ type: z.literal("text"), text: z.string() });

const Source = z.looseObject({
  type: z.string(),
  value: z.string(),
  mimeType: z.string().nullish(),
});

const Image = z.looseObject({ type: z.literal("image"), source: Source });

/** The form of images and files before version 1.0. */
const Binary = z.looseObject({
  type: z.literal("binary"),
  mimeType: z.string(),
  url: z.string().nullish(),
  data: z.string().nullish(),
});

const AgUiPart = z.union([
  Text,
  Image,
  Binary,
  z.looseObject({ type: z.string() }).transform(() => ({ type: "other" as const })),
]);
export type AgUiPart = z.output<typeof AgUiPart>;

const Content = z.union([z.string(), z.array(AgUiPart)]);

const AgUiToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
  encryptedValue: z.string().nullish().describe("Data of the provider. Send it back unchanged with the call."),
});
export type AgUiToolCall = z.output<typeof AgUiToolCall>;

/** A message as AG-UI's clients keep it. Reasoning and activities are not passed to the model. */
export const AgUiMessage = z
  .discriminatedUnion("role", [
    z.looseObject({ role: z.enum(["system", "developer"]), content: z.string() }),
    z.looseObject({ role: z.literal("user"), content: Content, name: z.string().nullish() }),
    z.looseObject({
      id: z.string(),
      role: z.literal("assistant"),
      content: z.string().nullish(),
      toolCalls: z.array(AgUiToolCall).nullish(),
    }),
    z.looseObject({ role: z.literal("tool"), toolCallId: z.string(), content: Content }),
    z.looseObject({ role: z.enum(["reasoning", "activity"]) }),
  ])
  .meta({ id: "AgUiMessage" });
export type AgUiMessage = z.output<typeof AgUiMessage>;

const AgUiTool = z.looseObject({
  name: z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, _ and -"),
  description: z.string().default(""),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

const ResumeEntry = z
  .looseObject({
    interruptId: z.string().meta({ pattern: "^[^:]*:" }).describe("The id from `interrupts` of RUN_FINISHED."),
    status: z.enum(["resolved", "cancelled"]).describe("`cancelled` denies the call."),
    payload: z
      .looseObject({ approved: z.boolean(), reason: z.string().nullish() })
      .optional()
      .describe("The decision when `status` is `resolved`. The model reads the reason of a denial."),
  })
  .meta({ anyOf: [{ properties: { status: { const: "cancelled" } } }, { required: ["payload"] }] });

/** Body of POST /agent/ag-ui, as AG-UI's `HttpAgent` sends it. `state` is not used. */
export const AgUiRequest = z
  .looseObject({
    threadId: z.string().max(200).describe("Repeated in the events. The conversation is the one in `messages`."),
    runId: z.string().max(200).describe("Repeated in the events."),
    messages: z.array(AgUiMessage),
    tools: z.array(AgUiTool).nullish().describe("The client's own tools. Calls to them are returned to the client."),
    context: z
      .array(z.looseObject({ description: z.string(), value: z.string() }))
      .nullish()
      .describe("The state of the application. The model reads it before the conversation."),
    forwardedProps: z
      .looseObject({ model: z.string().optional().describe("The model, as in x-model-id. Default: the header's.") })
      .nullish(),
    resume: z.array(ResumeEntry).nullish().describe("Decisions about the tool calls a run waits for."),
  })
  .meta({ id: "AgUiRequest" });
export type AgUiRequest = z.output<typeof AgUiRequest>;
