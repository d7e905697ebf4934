import { admitReply, estimateMemory, memoryPerByte, type ByteBudget, type ByteHold } from "../../base/byte-budget.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { countJournal } from "../../evaluation/world/limits.ts";
import type { ModelTarget } from "../plan/model-target.ts";
import type { RunContext } from "./run-context.ts";

/** Copies of its scenario that an attempt holds: the conversation that is sent, as text and as bytes. */
const copies = 2;

interface WithMemoryOptions {
  /** Undefined for no limit. */
  readonly memory: ByteBudget | undefined;
  readonly scenarioIndex: number;
  readonly signal: AbortSignal;
}

/**
 * Runs an attempt once there is memory for its scenario, and counts its replies. Rejects with `overloaded` when a reply exceeds the
 * memory: the attempt is requeued, and resumes after its last stored turn when others have ended.
 */
export async function withMemory<Result>(
  context: RunContext,
  { memory, scenarioIndex, signal }: WithMemoryOptions,
  work: (context: RunContext) => Promise<Result>,
): Promise<Result> {
  if (!memory) return work(context);
  const hold = memory.open(context.owner);
  try {
    // Attempts share the state of their world.
    const { world: _, ...scenario }: Partial<Scenario> = context.scenarios[scenarioIndex] ?? {};
    await hold.wait(copies * estimateMemory(scenario), signal);
    const journal = meteredJournal(memory, hold);
    return await work({ ...context, model: metered(context.model, hold), countJournal: journal });
  } finally {
    hold.release();
  }
}

function metered(model: ChatModel, hold: ByteHold): ChatModel {
  return async (request, options) => {
    const admit = admitReply(hold);
    let isShort = false;
    const admitBytes = (bytes: number): boolean => {
      const admitted = admit(bytes);
      isShort ||= !admitted;
      return admitted;
    };
    const reply = await model(request, { ...options, admitBytes });
    if (!isShort) return reply;
    throw new ServiceError("overloaded", "Other running attempts leave too little memory for the reply.");
  };
}

/** Counts the journal of an attempt. One for which even an idle process has too little memory passes a limit: it would never end. */
function meteredJournal({ size }: ByteBudget, hold: ByteHold): RunContext["countJournal"] {
  const count = countJournal(Math.floor(size / memoryPerByte));
  return (entries) => {
    const characters = count(entries);
    if (hold.add(characters * memoryPerByte)) return characters;
    throw new ServiceError("overloaded", "Other running attempts leave too little memory for the journal of this one.");
  };
}

/** Counts replies only during each call, for judges and labellers: little of their replies is kept. */
export function meterCalls(
  create: (target: ModelTarget) => ChatModel,
  memory: ByteBudget | undefined,
): (target: ModelTarget) => ChatModel {
  if (!memory) return create;
  return (target) => {
    const model = create(target);
    return async (request, options) => {
      const hold = memory.open(target.owner);
      try {
        return await model(request, { ...options, admitBytes: admitReply(hold) });
      } finally {
        hold.release();
      }
    };
  };
}
