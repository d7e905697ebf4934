/** Parameters of an address whose names say that they hold a secret. What `api-version` says must stay. */
const secretParameters = /([?&](?:[^=&#]*(?:key|token|secret|password)|sig|signature|code)=)[^&#]+/gi;

/** An endpoint as whoever reads of a run sees it: results and reports are handed on, and a key in its query went with them. */
export function shownEndpoint(endpoint: string): string {
  return endpoint.replace(secretParameters, "$1[redacted]");
}
