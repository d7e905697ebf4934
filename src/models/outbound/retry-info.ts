const seen = 16_000;

/**
 * The wait in milliseconds that Google asks for: it sends no header, and says it among the details of the error. A limit by the day
 * has such a wait too, and nothing to wait for.
 */
export function retryInfoMs(body: string): number | undefined {
  const said = body.slice(0, seen);
  const [, seconds] = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(said) ?? [];
  return seconds === undefined || /"quotaId"\s*:\s*"\w*PerDay/.test(said)
    ? undefined
    : Math.ceil(Number(seconds) * 1000);
}
