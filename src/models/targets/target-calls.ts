import type { Target, TargetStep } from "../../contract/schemas/acting/target.ts";

/** A call as it is sent. */
export interface TargetCall {
  readonly url: string;
  readonly method: string;
}

/** A request that a target describes: that of its turns, or one around them. */
export interface DescribedCall extends TargetCall {
  /** The place in the target. */
  readonly pointer: string;
  readonly headers: NonNullable<Target["headers"]>;
}

/** Every request of a target, with its address, its method and its headers. */
export function callsOf(target: Target): readonly DescribedCall[] {
  const { before = [], after = [], poll, headers = {} } = target;
  const steps: readonly (readonly [string, TargetStep])[] = [
    ...before.map((step, index) => [`/before/${index}`, step] as const),
    ...(poll ? [["/poll", poll] as const] : []),
    ...after.map((step, index) => [`/after/${index}`, step] as const),
  ];
  return [
    { pointer: "", ...callOf(target), headers },
    ...steps.map(([pointer, step]) => {
      const { url, body, method = body === undefined ? "GET" : "POST" } = step;
      return { pointer, url: stepUrl(url, target.url), method, headers: step.headers ?? headers };
    }),
  ];
}

/** The call that decides about the secrets of a target's turns. An agent card leads to further calls at its origin. */
export function callOf({ url, method = "POST", protocol = "http" }: Target): TargetCall {
  if (isSocket(url)) return { url, method: "GET" };
  return { url, method: protocol === "http" ? method : "POST" };
}

export const isSocket = (url: string): boolean => /^wss?:\/\//i.test(url);

/** The address of a request around the turns: one that begins with a slash is at the origin of the target. */
export function stepUrl(url: string, target: string): string {
  if (!url.startsWith("/")) return url;
  const origin = /^[a-z]+:\/\/[^/?#]*/i.exec(target)?.[0] ?? "";
  return `${origin.replace(/^ws/i, "http")}${url}`;
}
