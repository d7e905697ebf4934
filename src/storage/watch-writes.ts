import { randomUUID } from "node:crypto";
import { isStoreFailure } from "../contract/errors.ts";
import type { Database, Writer } from "./database.ts";

interface WatchedWrites {
  readonly write: Database["write"];
  /** Rejects when the last write failed because of the store, and so does one that is made to find out whether it still does. */
  check(): Promise<void>;
}

/** Remembers how the last write ended: as long as writes go well, to ask whether the store takes any costs none. */
export function watchWrites(database: Pick<Database, "write">): WatchedWrites {
  let refused = false;
  let trial: Promise<void> | null = null;

  const write: Database["write"] = async (work, options) => {
    try {
      const result = await database.write(work, options);
      refused = false;
      return result;
    } catch (error) {
      refused ||= isStoreFailure(error);
      throw error;
    }
  };

  return {
    write,
    async check() {
      if (refused) await (trial ??= write(tryOut).finally(() => (trial = null)));
    },
  };
}

/** Changes the disk, and nothing that anybody can see: a process that is taken for dead is there and gone. */
async function tryOut(writer: Writer): Promise<void> {
  const id = `trial:${randomUUID()}`;
  await writer.insertInto("agent_process").values({ id, alive_until: 0 }).execute();
  await writer.deleteFrom("agent_process").where("id", "=", id).execute();
}
