interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** What went wrong, with what the system said of it where an error of ours leaves that out. */
export function withSystemReason({ message, cause }: Error): string {
  const reason = systemReason(cause);
  return reason === null ? message : `${message} (${reason})`;
}

/** What the system said at the bottom of it, such as ECONNREFUSED, and where: a wrong address is seen by its host. */
function systemReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const deeper = systemReason(error instanceof AggregateError ? error.errors[0] : error.cause);
  if (deeper !== null) return deeper;
  const { code = "", address, port, hostname }: SystemError = error;
  if (!/^E[A-Z]+$/.test(code)) return null;
  const place = hostname ?? (port === undefined ? address : `${address}:${port}`);
  return place === undefined ? code : `${code} ${place}`;
}
