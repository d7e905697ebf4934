import { DatabaseSync } from "node:sqlite";
import { whileBusy } from "./while-busy.ts";

const longestMs = 30_000;

/**
 * Holds a file of its own, which stays empty, alone among the processes of this machine. The system gives it back when a process
 * dies, so that nobody has to find out whether a lock still means anything.
 */
export async function lockFile(file: string): Promise<Disposable> {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    await whileBusy(async () => connection.exec("begin exclusive"), longestMs);
  } catch (error) {
    connection.close();
    throw error;
  }
  return { [Symbol.dispose]: () => connection.close() };
}
