/** How long a stream may say nothing before it is opened: what fails in this time is still an ordinary status. */
const defaultPatienceMs = 5000;

/** What comes of it when that takes no longer than our patience, else null. */
export async function inTime<Result>(work: Promise<Result>, patienceMs = defaultPatienceMs): Promise<Result | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
