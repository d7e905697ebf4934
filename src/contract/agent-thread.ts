import { z } from "zod";
import { AgentMessage } from "./agent-message.ts";

/** A conversation the service keeps: a turn sends only what is new. */
export const AgentThread = z
  .object({
    id: z.string(),
    messages: z.array(AgentMessage).readonly(),
    created_at: z.number().describe("Milliseconds since 1970."),
    updated_at: z.number(),
  })
  .meta({ id: "AgentThread" });
export type AgentThread = z.infer<typeof AgentThread>;

export interface ThreadKey {
  readonly owner: string | null;
  readonly id: string;
}

/** Where threads are kept. A thread begins with the first turn that ends in it: see `AgentMemory.endTurn`. */
export interface AgentThreads {
  get(key: ThreadKey): Promise<AgentThread | null>;
  /**
   * Takes the thread for one turn, so that turns of one thread follow each other whichever process they come to. False
   * while another process has it; what a process held is free again once it has died. Within one process the caller
   * sees to the order.
   */
  hold(key: ThreadKey): Promise<boolean>;
  /** Gives the thread back, when nothing was added to it. */
  release(key: ThreadKey): Promise<void>;
  /**
   * Forgets it with its runs and what waits in it for approval, but for a run that is under way, whose turn is not added to it. False
   * when there was none of it.
   */
  remove(key: ThreadKey): Promise<boolean>;
}
