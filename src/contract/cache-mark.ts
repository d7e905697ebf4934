/** What Anthropic, and gateways to it, call `cache_control`: `{ "type": "ephemeral" }`, perhaps with a `ttl`. Passed on unread. */
export type CacheControl = Readonly<Record<string, unknown>>;

/** Asks the provider to keep what it has read up to here, so that the next request with the same beginning costs less. */
export interface CacheMark {
  /** Characters of the message's content before it. */
  readonly end: number;
  readonly control: CacheControl;
}

interface MarkedText {
  readonly text: string;
  readonly cache_control?: CacheControl;
}

/** The marks of a text that came in parts. */
export function toCacheMarks(
  parts: readonly { readonly text: string; readonly cache_control?: CacheControl | null | undefined }[],
): readonly CacheMark[] {
  let end = 0;
  return parts.flatMap(({ text, cache_control: control }) => {
    end += text.length;
    return control ? [{ end, control }] : [];
  });
}

/** The text in parts again, each but the last with the mark it ends with. No part is blank: providers refuse one. */
export function splitAtMarks(text: string, marks: readonly CacheMark[] = []): readonly MarkedText[] {
  const parts: MarkedText[] = [];
  let start = 0;
  let read = 0;
  let blank = true;
  for (const { end, control } of marks) {
    // Only what is new is looked at: thousands of marks in a long blank text would have it read once for each of them.
    blank &&= text.slice(read, end).trim() === "";
    read = end;
    if (blank) continue;
    parts.push({ text: text.slice(start, end), cache_control: control });
    start = end;
    blank = true;
  }
  const rest = text.slice(start);
  return rest.trim() === "" ? parts : [...parts, { text: rest }];
}
