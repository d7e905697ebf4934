import type { TargetCall } from "./target-calls.ts";
import { fillText, type TemplateValues } from "./template.ts";

/** The call that a secret of a target may be sent with. */
export interface TargetBinding {
  /** The variable that holds the secret. */
  readonly name: string;
  /** The address. Each placeholder in its path stands for a part of one segment. Without a query, any query may follow. */
  readonly address: string;
  readonly method: string;
}

/** Fills a placeholder of a request while its value is not known yet: no address has this text. */
const sample = "rehearsal-placeholder-0c4f";

/** True when a call of a target may name a bound variable. Its placeholders cannot take the place of a fixed part of the path. */
export function allowsDescribed(binding: TargetBinding, { url, method }: TargetCall): boolean {
  return allowsCall(binding, { url: filledWithSample(url), method });
}

/** True when a secret may be sent with a call: same method, origin, path and fixed parameters, compared as sent. */
export function allowsCall({ address, method }: TargetBinding, call: TargetCall): boolean {
  const [bound, sent] = [URL.parse(filledWithSample(address)), URL.parse(call.url)];
  if (!bound || !sent || method !== call.method || bound.origin !== sent.origin) return false;
  const [expected, actual] = [segments(bound), segments(sent)];
  if (expected.length !== actual.length || !hasQuery(bound, sent)) return false;
  return expected.every((segment, index) => fits(segment, actual[index] ?? ""));
}

/** Some servers choose the action by a parameter. */
function hasQuery(bound: URL, sent: URL): boolean {
  const [expected, actual] = [[...bound.searchParams], [...sent.searchParams]];
  if (expected.length === 0) return true;
  const isAs = ([name, value]: [string, string], [key, text]: [string, string] = ["", ""]): boolean =>
    name === key && (value === text || value.includes(sample));
  return expected.length === actual.length && expected.every((pair, index) => isAs(pair, actual[index]));
}

const filledWithSample = (template: string): string => fillText(template, sampleValues);

const sampleValues = new Proxy({} as TemplateValues, { get: () => sample });

const segments = ({ pathname }: URL): readonly string[] => pathname.replace(/\/$/, "").split("/");

function fits(expected: string, actual: string): boolean {
  const [start = "", ...rest] = expected.split(sample);
  const end = rest.at(-1);
  if (end === undefined) return actual === expected;
  const isLongEnough = actual.length > start.length + end.length;
  return isLongEnough && actual.startsWith(start) && actual.endsWith(end) && !climbs(actual);
}

/** Servers may decode a segment, also twice, before they look for `..`, or take `;` as the beginning of parameters. */
function climbs(segment: string): boolean {
  let text = segment;
  for (let level = 0; level < 3; level += 1) {
    if (text.split(/[/\\]/).some((part) => /^\.{1,2}(?:;|$)/.test(part))) return true;
    try {
      text = decodeURIComponent(text);
    } catch {
      return level === 0;
    }
  }
  return false;
}
