import type { ServerContext } from "@modelcontextprotocol/server";

/**
 * Tells a client how far its call is, if it asks to be told. Clients give a call up that says nothing for a while, many after a minute;
 * what they are told of they wait for.
 */
export function progressTo({ _meta, notify }: ServerContext["mcpReq"]): (progress: number, total?: number) => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, total) => {
    const params = { progressToken, progress, ...(total !== undefined && { total }) };
    // Whoever is not there any more needs no news.
    notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
