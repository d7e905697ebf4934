import { z } from "zod";
import { HelperUsage } from "../shared/usage.ts";

/** The origin of a message of the user that is not part of the script. */
export const UserTurn = z
  .object({
    message: z.string(),
    source: z.enum(["simulator", "opening", "recorded"]),
    why: z.string().optional().describe("The simulator's reason for the message."),
    helper_usage: HelperUsage.optional().describe(
      "Calls of the simulator for this message, with their tokens and cost.",
    ),
    latency_ms: z.number().min(0).optional().describe("Time the simulator took."),
  })
  .meta({ id: "UserTurn" });
export type UserTurn = z.infer<typeof UserTurn>;

/**
 * `no_answer`: the simulator could not be asked, or did not answer in the form. `off_goal`: it ended or ran out of turns without
 * pursuing the goal. `invented_fact`: it contradicted `knows`. `spoke_as_agent`, `repeated`: it did.
 */
export const SimulatorFailureKind = z.enum(["no_answer", "off_goal", "invented_fact", "spoke_as_agent", "repeated"]);
export type SimulatorFailureKind = z.infer<typeof SimulatorFailureKind>;

export const SimulatorFailure = z
  .object({
    kind: SimulatorFailureKind,
    reason: z.string(),
    turn_index: z.int().min(0).optional().describe("The turn whose message shows it."),
    found_by: z.enum(["rule", "judge"]),
  })
  .meta({ id: "SimulatorFailure" });
export type SimulatorFailure = z.infer<typeof SimulatorFailure>;

/** How a conversation with a simulated user ended. */
export const UserEnd = z
  .object({
    ended: z
      .enum(["done", "turns", "recorded", "no_reply", "failed"])
      .describe(
        "`done`: the user ended it. `turns`: no message was left. `recorded`: the recorded messages were sent. `no_reply`: the agent gave no reply. `failed`: the simulator gave no answer.",
      ),
    why: z.string().optional().describe("The simulator's reason for the end."),
    message: z.string().optional().describe("Closing words of the user, which were not sent."),
    failure: SimulatorFailure.optional().describe(
      "Set when the simulator failed: the attempt counts in no figure of the agent.",
    ),
    helper_usage: HelperUsage.optional().describe("Calls of the simulator for the decision to end."),
    review: z
      .object({ verdict: z.string().nullable(), reason: z.string() })
      .optional()
      .describe("The judge's verdict on the simulator, if the run asks for it and no rule found a failure."),
  })
  .meta({ id: "UserEnd" });
export type UserEnd = z.infer<typeof UserEnd>;

/** Attempts with a simulated user, and the figures of the agent with those that the simulator spoiled. */
export const SimulatedUsers = z
  .object({
    attempts: z.int().min(0).describe("Finished attempts with a simulated user."),
    failed: z.int().min(0).describe("Attempts in which the simulator failed. They are in no other figure of the run."),
    share: z.number().min(0).max(1).describe("`failed` divided by `attempts`."),
    low: z.number().min(0).max(1).describe("The 95 % interval of the share (Wilson)."),
    high: z.number().min(0).max(1),
    limit: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("The share above which the run is undecided: `gate.max_simulator_failures`, or 0.2."),
    undecided: z
      .literal(true)
      .optional()
      .describe("Set when `share` is above `limit`: too much is left out for the run to pass or fail."),
    kinds: z.record(z.string(), z.int().min(1)).describe("Failures by kind."),
    scores_with_failures: z
      .record(z.string(), z.number())
      .describe(
        "Mean scores of the run if each failed attempt counts as 0. Equal to `average_scores` without failures.",
      ),
    passed: z.int().min(0).describe("Attempts that passed."),
    usage: HelperUsage.describe("Calls, tokens and cost of the simulator."),
  })
  .meta({ id: "SimulatedUsers" });
export type SimulatedUsers = z.infer<typeof SimulatedUsers>;
