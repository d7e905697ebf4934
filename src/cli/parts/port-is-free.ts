import { createServer } from "node:net";

/** Whether a server could listen there now. */
export async function portIsFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  probe.once("error", () => resolve(false));
  probe.listen({ host, port }, () => probe.close(() => resolve(true)));
  return promise;
}
