import { randomUUID } from "node:crypto";

const usable = /^[A-Za-z0-9._-]{1,64}$/;

/** The id of a request: the caller's own if it is a sane one, else a new one. */
export function requestIdFrom(sent: string | undefined): string {
  return sent !== undefined && usable.test(sent) ? sent : randomUUID();
}
