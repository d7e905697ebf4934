const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Where a key is needed the shell fills it in: what is copied is no secret. */
const authorization = ` -H "authorization: Bearer $REHEARSAL_API_KEY"`;

/** The same request for a POSIX shell. */
export const curlLine = (url: string, body: unknown, { guarded = false } = {}): string =>
  `curl ${quote(url)}${guarded ? authorization : ""} -H 'content-type: application/json' --data-raw ${quote(JSON.stringify(body))}`;
