/** Addresses that let us wait in vain. Each is left alone for a while, so that others do not wait for it with every message. */
export interface SilentAddresses {
  /** False while an address rests. When its rest is over, one message is let through to see whether it answers again. */
  mayTell(address: string): boolean;
  /** It was waited for in vain. */
  silent(address: string): void;
  /** It answered, whatever it said, or refused at once. */
  answered(address: string): void;
}

interface SilentAddressOptions {
  readonly restMs: number;
  /** A clock that nobody sets. */
  readonly now?: () => number;
}

export function createSilentAddresses({
  restMs,
  now = () => performance.now(),
}: SilentAddressOptions): SilentAddresses {
  const restingUntil = new Map<string, number>();
  const rest = (address: string): void => void restingUntil.set(address, now() + restMs);

  return {
    mayTell(address) {
      const until = restingUntil.get(address);
      if (until === undefined) return true;
      if (now() < until) return false;
      rest(address);
      return true;
    },
    silent: rest,
    answered: (address) => void restingUntil.delete(address),
  };
}
