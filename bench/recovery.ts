import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "../test/support/postgres.ts";
import type { Bench, BenchContext, Figures } from "./bench.ts";
import { startServer } from "./harness/child-process.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { benchSettings, commandLine, startRehearsal } from "./harness/rehearsal.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { postRun } from "./load/post-evaluation.ts";

/** Attempts each of the two processes carries out at once. Fewer than by default: the one that lives is to have room soon. */
const atOnce = 8;
/** As many as both have attempts for. */
const runs = 4;
const work = `a worker with ${atOnce} calls under way is killed, another lives`;

/** Asks the store in its own words; the first column of each row. */
type Query = (text: string) => Promise<unknown[]>;

/** How soon the attempts of a worker that was killed with -9 are carried out by another one on the same host. */
export const recovery: Bench = {
  name: "recovery",
  title: "After kill -9 of a worker",
  async run(context) {
    const postgres = await startPostgres();
    try {
      const rows = await interleave(
        work,
        [
          { name: "embedded", run: () => onSqlite(context) },
          {
            name: "PostgreSQL",
            async run() {
              await using database = await postgres.createDatabase();
              const query: Query = async (text) => (await database.query(text)).map((row) => Object.values(row)[0]);
              return await measure(context, { environment: { DATABASE_URL: database.url }, queryOf: () => query });
            },
          },
        ],
        context,
      );
      const goal = (subject: string, atMost: number) => {
        const what = `${subject}: seconds until every attempt of a killed worker goes on`;
        return goalOn(rows, { work, subject, metric: "wall_s", what }, { atMost });
      };
      return { rows, goals: [goal("embedded", 5), goal("PostgreSQL", 15)] };
    } finally {
      await postgres.stop();
    }
  },
};

async function onSqlite(context: BenchContext): Promise<Figures> {
  return measure(context, {
    environment: {},
    queryOf: (dataFolder) => async (text) => {
      const database = new DatabaseSync(join(dataFolder, "rehearsal.db"), { readOnly: true, timeout: 5_000 });
      try {
        return database
          .prepare(text)
          .all()
          .map((row) => Object.values(row)[0]);
      } finally {
        database.close();
      }
    },
  });
}

interface Engine {
  readonly environment: Readonly<Record<string, string>>;
  readonly queryOf: (dataFolder: string) => Query;
}

async function measure({ scratch, model }: BenchContext, { environment, queryOf }: Engine): Promise<Figures> {
  const settings = { ...benchSettings, REHEARSAL_CONCURRENCY_GLOBAL: String(atOnce), ...environment };
  const service = await startRehearsal({ scratch, environment: settings });
  const worker = await startServer({
    arguments: [commandLine, "serve", "--worker", "--json"],
    environment: { ...settings, REHEARSAL_DATA_DIR: service.dataFolder },
    folder: scratch,
  });
  try {
    const query = queryOf(service.dataFolder);
    const endpoint = model.at("latency-500");
    const body = toEvaluationRequest({ scenarios: 25 * atOnce, turns: 1, attempts: 1 }, { endpoint });
    for (let run = 0; run < runs; run += 1) await postRun(service.evaluation, body);
    const heldByWorker = `select id from attempt where state = 'running' and lease_owner like '%:${worker.pid}:%'`;
    let held: unknown[] = [];
    while (held.length < atOnce) {
      await sleep(10);
      held = await query(heldByWorker);
    }
    process.kill(worker.pid, "SIGKILL");
    const began = performance.now();
    // Attempts that it had just ended are done; the others count until another worker has them.
    const ids = held.map((id) => `'${String(id)}'`).join(", ");
    const left = `select id from attempt where id in (${ids}) and state <> 'done'
      and (state = 'ready' or lease_owner like '%:${worker.pid}:%')`;
    while ((await query(left)).length > 0) await sleep(10);
    return { wall_s: (performance.now() - began) / 1000 };
  } finally {
    await worker.stop();
    await service.stop();
  }
}
