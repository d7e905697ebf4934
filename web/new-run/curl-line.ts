const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same request for a POSIX shell. */
export const curlLine = (url: string, body: unknown): string =>
  `curl ${quote(url)} -H 'content-type: application/json' --data-raw ${quote(JSON.stringify(body))}`;
