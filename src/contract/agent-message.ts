import { z } from "zod";

/** A tool call in the LangChain spelling, as our own reply carries it. */
export const MessageToolCall = z
  .object({
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    id: z.string().nullish(),
    type: z.literal("tool_call").optional(),
  })
  .meta({ id: "MessageToolCall" });
export type MessageToolCall = z.infer<typeof MessageToolCall>;

/** One message of a conversation sent to POST /. Unknown keys are ignored, so our own reply can be sent back as history. */
export const AgentMessage = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("human"), content: z.string() }),
    z.object({ type: z.literal("ai"), content: z.string(), tool_calls: z.array(MessageToolCall).nullish() }),
    z.object({
      type: z.literal("tool"),
      content: z.string(),
      name: z.string().nullish(),
      tool_call_id: z.string().nullish(),
    }),
  ])
  .meta({ id: "AgentMessage" });
export type AgentMessage = z.infer<typeof AgentMessage>;

/** Body of POST /. */
export const AgentRequest = z.object({ messages: z.array(AgentMessage).min(1) }).meta({ id: "AgentRequest" });
export type AgentRequest = z.infer<typeof AgentRequest>;
