import { z } from "zod";
import { TurnCheck } from "./scores/scorer-setting.ts";
import { GivenContext } from "./acting/context.ts";
import { SimulatedUser } from "./acting/simulated-user.ts";
import { RecordedToolCall, ReferenceToolCall, ToolMatching } from "./acting/tool-call.ts";
import { Expectation, World } from "./acting/world.ts";

/** Labels of a reply: any JSON under any key (`intent`, `sentiment`, …). */
export const Metadata = z.record(z.string(), z.json()).meta({ id: "Metadata" });
export type Metadata = z.infer<typeof Metadata>;

/**
 * An opaque id chosen by the caller and compared by code point. The pattern lists the control characters instead of using
 * `\p{Cc}`, because it is part of the OpenAPI document and Python, for one, does not support `\p`.
 */
const Identifier = z
  .string()
  .min(1)
  .max(256)
  // oxlint-disable-next-line no-control-regex -- the pattern refuses them
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, "must not hold control characters");

export const maxTurnChecks = 50;

/** One turn of a scripted conversation, as the caller sends it. */
export const InteractionInput = z
  .object({
    id: Identifier.optional().describe("Default: `turn-1` for the first turn, and so on."),
    user_message: z.string(),
    prompt: z
      .string()
      .optional()
      .describe("Sent in place of `user_message`: another wording of it, whose runs can be compared."),
    agent_reply: z
      .string()
      .default("")
      .describe("Filled in by the service. In a request it is ignored, unless its `protocol` is `recorded`."),
    tool_calls: z
      .array(RecordedToolCall)
      .max(1_000)
      .optional()
      .describe("The tool calls of a recorded `agent_reply`. Ignored unless the request's `protocol` is `recorded`."),
    context: GivenContext.optional().describe(
      "Retrieved passages: what a recorded reply was based on, or what a reply should be based on. Scored and shown, never sent. Passages that the agent returns itself take their place.",
    ),
    reference_reply: z
      .string()
      .default("")
      .describe("The expected reply. Without one, the reply gets no similarity scores."),
    references: z.array(z.string()).optional().describe("Further acceptable replies; the best match counts."),
    reference_tool_calls: z
      .array(ReferenceToolCall)
      .max(100)
      .optional()
      .describe("The tool calls expected in this turn. An empty list: none."),
    interaction_type: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("Default: `opening` for the first turn, `follow_up` for the others."),
    reference_metadata: Metadata.default({}),
    checks: z
      .array(TurnCheck)
      .max(maxTurnChecks)
      .optional()
      .describe("Checks of the reply to this turn, in addition to those of the run."),
    generated_metadata: Metadata.default({}).describe("Ignored in a request; filled in by the service."),
  })
  .meta({ id: "InteractionInput" });

/** The id of a turn at this index. */
export const turnId = ({ id }: Pick<z.output<typeof InteractionInput>, "id">, index: number): string =>
  id ?? `turn-${index + 1}`;

/** True when the turn says what to expect of its reply. */
export const expectsSomething = ({
  reference_reply,
  references = [],
  reference_tool_calls,
  reference_metadata,
  checks = [],
}: Pick<
  z.output<typeof InteractionInput>,
  "reference_reply" | "references" | "reference_tool_calls" | "reference_metadata" | "checks"
>): boolean =>
  reference_reply.trim() !== "" ||
  references.length > 0 ||
  reference_tool_calls !== undefined ||
  Object.keys(reference_metadata).length > 0 ||
  checks.length > 0;

/** A turn with every default filled in. */
export const Interaction = InteractionInput.extend({
  id: Identifier,
  interaction_type: z.string().min(1),
  simulated: z
    .literal(true)
    .optional()
    .describe("Set for the turns of a simulated user, whose messages are not known before the run."),
}).meta({ id: "Interaction" });
export type Interaction = z.infer<typeof Interaction>;

/** The fields of a scenario whose agent acts. */
const acting = {
  world: World.optional().describe("Tools to act on, with a state of their own for every attempt."),
  tool_matching: ToolMatching.optional().describe("Rules for comparing tool calls. Default: those of the run."),
  expect: Expectation.optional().describe("Requirements of the whole conversation, scored as `outcome`."),
  user: SimulatedUser.optional().describe("A model that plays the user, instead of scripted turns or after them."),
};

const about = Metadata.optional().describe(
  "Anything else about the scenario. Kept with it and never scored. A variant's system prompt may name a value as `{{name}}`; otherwise it is not sent.",
);

/** The fields of a scenario, without the rule that it needs turns or a user. */
export const ScenarioFields = z.object({
  id: Identifier,
  description: z.string().default(""),
  system_prompt: z.string().optional().describe("Replaces the system prompt of the request."),
  interactions: z
    .array(InteractionInput)
    .default([])
    .describe("The scripted turns. At least one, unless the scenario has a `user`."),
  tags: z.array(z.string()).optional(),
  metadata: about,
  ...acting,
});

/** A conversation: turns in order, then those of a simulated user, if there is one. */
export const ScenarioInput = ScenarioFields.superRefine(({ interactions, user }, context) => {
  if (interactions.length > 0 || user) return;
  context.addIssue({
    code: "too_small",
    origin: "array",
    minimum: 1,
    inclusive: true,
    input: interactions,
    path: ["interactions"],
    message: "must have at least 1 item, unless the scenario has a user",
  });
}).meta({
  id: "ScenarioInput",
  anyOf: [{ required: ["interactions"], properties: { interactions: { minItems: 1 } } }, { required: ["user"] }],
});

/** A scenario with every default filled in. */
export const Scenario = z
  .object({
    id: Identifier,
    description: z.string(),
    system_prompt: z.string().optional(),
    interactions: z.array(Interaction),
    tags: z.array(z.string()),
    metadata: about,
    ...acting,
  })
  .meta({ id: "Scenario" });
export type Scenario = z.infer<typeof Scenario>;
