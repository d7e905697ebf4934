/**
 * The sizes of the long suites: small in `npm test`, full in `npm run test:deep`. The environment variable of a size sets
 * any other number.
 */
export const isDeep = process.env["TEST_SIZE"] === "deep";

const size = (variable: string, { small, deep }: { small: number; deep: number }): number =>
  Number(process.env[variable] ?? (isDeep ? deep : small));

export const sizes = {
  /** Requests to each route of both services. */
  fuzzRequests: size("FUZZ_REQUESTS", { small: 20, deep: 2_000 }),
  /** Times a process is killed on SQLite. */
  sqliteKills: size("TORTURE_KILLS", { small: 2, deep: 300 }),
  /** Times a process is killed on PostgreSQL. */
  postgresKills: size("TORTURE_POSTGRES_KILLS", { small: 1, deep: 200 }),
  /** Simulated stories of processes that share an endpoint. */
  stories: size("SIMULATION_STORIES", { small: 100, deep: 10_000 }),
  /** Attempts of the run that a small run shares its endpoint with. */
  besideAttempts: size("SIMULATION_ATTEMPTS", { small: 200, deep: 1_000 }),
  /** Simulated suites and pairs of runs that statistics are checked with. */
  simulatedSuites: size("SIMULATION_SUITES", { small: 500, deep: 2_000 }),
  /** Simulated suites for each distribution, size and margin of a comparison. */
  suites: size("SIMULATION_MARGIN_SUITES", { small: 100, deep: 4_000 }),
  /** Simulated runs for each judge that people's verdicts correct, and whether all judges are simulated. */
  correctedRuns: size("SIMULATION_CORRECTED", { small: 60, deep: 1_000 }),
  correctedGrid: isDeep,
  /** Minutes of mixed use under observation; no part of `npm test`. */
  soakMinutes: size("SOAK_MINUTES", { small: 1, deep: 10 }),
  load: isDeep
    ? {
        seconds: 30,
        warmUpSeconds: 5,
        connections: 1000,
        slowClients: 1500,
        stops: 100,
        disconnects: 1000,
        lateMs: 10_000,
        // The heap that Node gives a process in a container of 1 GiB.
        heapMegabytes: 512,
        largeBodies: 500,
        largeBodyBytes: 4_000_000,
        yamlBytes: 8_000_000,
      }
    : {
        seconds: 0.5,
        warmUpSeconds: 0,
        connections: 200,
        slowClients: 100,
        stops: 1,
        disconnects: 50,
        lateMs: 500,
        heapMegabytes: 128,
        largeBodies: 60,
        largeBodyBytes: 2_000_000,
        yamlBytes: 3_000_000,
      },
};

/** The time limit of such a test: far more than it takes, so that only a test that hangs fails. */
export const patienceMs = isDeep ? 3_600_000 : 600_000;

/** Names the figures of `npm run test:deep` apart from those of `npm test`. */
export const sized = (suite: string): string => (isDeep ? `${suite}, full size` : suite);

/** `npm test` generates the same input every time: a change is not blamed for what an earlier one broke. */
export const fixedSeed = process.env["VITEST"] !== undefined && !isDeep ? 20_260_101 : undefined;

/**
 * The seed of generated input. At full size, which the nightly workflow runs, each run covers other cases; the variable
 * repeats a run by its printed seed.
 */
export const newSeed = (variable: string): number =>
  Number(process.env[variable] ?? fixedSeed ?? Math.floor(Math.random() * 2 ** 31));
