type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The wait a response asks for in milliseconds: `retry-after-ms`, else `Retry-After` as seconds or a date. Junk is undefined. */
export function retryAfterMs(headers: Headers, now: () => number): number | undefined {
  const milliseconds = toNumber(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const value = single(headers["retry-after"]);
  if (value === undefined) return undefined;
  const seconds = toNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // Only the date forms of RFC 9110 begin with a day's name; Date.parse alone would also read "-1" and "5 apples".
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

function toNumber(header: string | string[] | undefined): number | undefined {
  const value = single(header);
  return value !== undefined && /^\d{1,12}(?:\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header.trim() : header?.[0]?.trim();
}
