import { z } from "zod";
import { ModelId } from "../shared/request-headers.ts";

const ToolPart = z.looseObject({
  type: z.string().regex(/^(?:dynamic-tool|tool-.+)$/s),
  toolCallId: z.string(),
  toolName: z.string().optional().describe("Set for `dynamic-tool`. Otherwise the name follows `tool-` in `type`."),
  state: z.string(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  callProviderMetadata: z
    .looseObject({ rehearsal: z.looseObject({ echo: z.string().optional() }).optional() })
    .optional()
    .describe("Data of the provider. Send it back unchanged with the call."),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
});
export type UiToolPart = z.infer<typeof ToolPart>;

const FilePart = z
  .looseObject({
    type: z.literal("file"),
    mediaType: z.string().meta({ pattern: "^image/" }).default(""),
    url: z.string().meta({ pattern: "^(?:https?://|data:image/[^,]*;base64,)" }).default(""),
  })
  .meta({ required: ["type", "mediaType", "url"] });

/** Other parts, such as reasoning and sources, are not passed to the model. */
const UiPart = z.union([
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  FilePart,
  ToolPart,
  z
    .looseObject({
      type: z
        .string()
        .refine((type) => type !== "file")
        .meta({ not: { const: "file" } }),
    })
    .transform(({ type }) => ({ type: type === "step-start" ? type : "other" })),
]);
export type UiPart = z.output<typeof UiPart>;

/** A message as the AI SDK's `useChat` keeps it. */
export const UiMessage = z
  .looseObject({ id: z.string(), role: z.enum(["system", "user", "assistant"]), parts: z.array(UiPart) })
  .meta({ id: "UiMessage" });
export type UiMessage = z.output<typeof UiMessage>;

/** Body of POST /agent/ui-messages, as the AI SDK's `DefaultChatTransport` sends it. */
export const UiChatRequest = z
  .looseObject({
    model: ModelId.optional().describe("The model, as in x-model-id. Default: the header's."),
    messages: z.array(UiMessage).min(1),
  })
  .meta({ id: "UiChatRequest" });
export type UiChatRequest = z.output<typeof UiChatRequest>;
