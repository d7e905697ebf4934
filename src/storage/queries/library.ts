import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { JudgeAudits, Library, StoredVersion } from "../../contract/ports/library.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { Database, Reader, Writer } from "../tables/database.ts";
import { fromJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";
import { countWithinBytes, parseIdCursor, toIdCursor } from "./paging.ts";
import { containsText } from "./search.ts";

interface LibraryOptions {
  /** Serializes changes of the library on a database with concurrent writers. Held until the transaction ends. */
  readonly lock?: (writer: Writer) => Promise<void>;
}

/** The scenario library. Ids are stored as JSON text, like every text from users. */
export function createLibrary({ reader, write }: Database, { lock = async () => {} }: LibraryOptions = {}): Library {
  const change = <Result>(work: (writer: Writer) => Promise<Result>): Promise<Result> =>
    write(async (writer) => {
      await lock(writer);
      return work(writer);
    });
  return {
    put: (scenarios, options) => change((writer) => putAll(writer, scenarios, options)),
    list: (filter) => list(reader, filter),
    get: (id, version) => find(reader, id, version),
    newest: (ids) => newestVersions(reader, ids),
    sameTurns: (scenarios) => findSameTurns(reader, scenarios),
    versions: (id) =>
      reader
        .selectFrom("library_scenario")
        .select(["version", "created_at"])
        .where("id", "=", toJsonText(id))
        .orderBy("number", "desc")
        .execute(),
    remove: (id) =>
      change(async (writer) => {
        const { numDeletedRows } = await writer
          .deleteFrom("library_scenario")
          .where("id", "=", toJsonText(id))
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),
    removeDemo: () =>
      change(async (writer) => {
        const { numDeletedRows } = await writer.deleteFrom("library_scenario").where("demo", "=", 1).executeTakeFirst();
        await electNewest(writer);
        return Number(numDeletedRows);
      }),
  };
}

/** The results of judge audits. */
export function createJudgeAudits({ reader, write }: Database): JudgeAudits {
  return {
    record: (audit, at) =>
      write(async (writer) => {
        const row = { passed: audit.passed ? 1 : 0, audit: toJsonText(audit), audited_at: at };
        await writer
          .insertInto("judge_audit")
          .values({ fingerprint: audit.fingerprint, ...row })
          .onConflict((conflict) => conflict.column("fingerprint").doUpdateSet(row))
          .execute();
      }),
    async hasPassed(fingerprint) {
      const row = await reader
        .selectFrom("judge_audit")
        .select("passed")
        .where("fingerprint", "=", fingerprint)
        .executeTakeFirst();
      return row?.passed === 1;
    },
  };
}

/** Ids asked for in one query, far below the limit of parameters of either database. */
const idsPerQuery = 500;

async function newestVersions(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const rows = await reader
      .selectFrom("library_scenario")
      .select(["id", "version"])
      .where("newest", "=", 1)
      .where("id", "in", ids.slice(start, start + idsPerQuery).map(toJsonText))
      .execute();
    for (const { id, version } of rows) found.set(fromJsonText<string>(id), version);
  }
  return found;
}

/** Equal for scenarios with the same messages and references, whatever their other fields. */
function turnsHash({ interactions }: Pick<Scenario, "interactions">): string {
  const turns = interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]);
  return createHash("sha256").update(JSON.stringify(turns)).digest("hex");
}

async function putAll(
  writer: Writer,
  scenarios: Parameters<Library["put"]>[0],
  { at, demo }: { at: number; demo: boolean },
): ReturnType<Library["put"]> {
  const stored = [];
  for (const { scenario, version } of scenarios) {
    const created = await put(writer, { scenario, version, created_at: at, demo });
    stored.push({ id: scenario.id, version, created });
  }
  return stored;
}

/** When the newest version was deleted, the one before becomes the newest. */
async function electNewest(writer: Writer): Promise<void> {
  await sql`update library_scenario set newest = 1 where newest = 0 and number =
    (select max(number) from library_scenario as other where other.id = library_scenario.id)`.execute(writer);
}

/** Storing an older version again makes it the newest. */
async function put(writer: Writer, version: StoredVersion): Promise<boolean> {
  const id = toJsonText(version.scenario.id);
  const rows = await writer
    .selectFrom("library_scenario")
    .select(["version", "number"])
    .where("id", "=", id)
    .orderBy("number", "desc")
    .execute();
  const isKnown = rows.some((row) => row.version === version.version);
  if (rows[0]?.version === version.version) {
    await keepAsOwn(writer, version);
    return false;
  }
  await writer.updateTable("library_scenario").set({ newest: 0 }).where("id", "=", id).execute();
  const number = (rows[0]?.number ?? 0) + 1;
  if (!isKnown) {
    await insertVersion(writer, version, number);
    return true;
  }
  await writer
    .updateTable("library_scenario")
    .set({ newest: 1, number, created_at: version.created_at })
    .where("id", "=", id)
    .where("version", "=", version.version)
    .execute();
  await keepAsOwn(writer, version);
  return false;
}

/** A scenario stored by a user is kept when the demo is removed, even if the demo created it. */
async function keepAsOwn(writer: Writer, { scenario, version, demo }: StoredVersion): Promise<void> {
  if (demo) return;
  await writer
    .updateTable("library_scenario")
    .set({ demo: 0 })
    .where("id", "=", toJsonText(scenario.id))
    .where("version", "=", version)
    .where("demo", "=", 1)
    .execute();
}

async function insertVersion(
  writer: Writer,
  { scenario, version, created_at, demo }: StoredVersion,
  number: number,
): Promise<void> {
  await writer
    .insertInto("library_scenario")
    .values({
      id: toJsonText(scenario.id),
      version,
      number,
      definition: toJsonText(scenario),
      search: searchText(scenario),
      turns: turnsHash(scenario),
      newest: 1,
      demo: demo ? 1 : 0,
      created_at,
    })
    .execute();
}

/** Far below the parameter limit of a statement. */
const hashesAtOnce = 500;

async function findSameTurns(reader: Reader, scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, string>> {
  const wanted = await byTurns(scenarios);
  const hashes = [...wanted.keys()];
  const found = new Map<string, string>();
  for (let start = 0; start < hashes.length; start += hashesAtOnce) {
    const rows = await reader
      .selectFrom((from) =>
        from
          .selectFrom("library_scenario")
          .where("turns", "in", hashes.slice(start, start + hashesAtOnce))
          .where("newest", "=", 1)
          .select(["id", "turns", sql<number>`row_number() over (partition by turns order by id)`.as("place")])
          .as("same"),
      )
      .select(["id", "turns"])
      // The first match, and a second one for when the first is the scenario itself: thousands may share the same
      // turns.
      .where("place", "<=", 2)
      .orderBy("id", "desc")
      .execute();
    for (const row of rows) {
      const other = fromJsonText<string>(row.id);
      for (const id of wanted.get(row.turns) ?? []) if (id !== other) found.set(id, other);
    }
  }
  return found;
}

/** The ids of scenarios by the hash of their turns. Other work runs in between: there may be tens of thousands. */
async function byTurns(scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = new Map<string, string[]>();
  for (const [index, scenario] of scenarios.entries()) {
    if (index % hashesAtOnce === hashesAtOnce - 1) await setImmediate();
    const hash = turnsHash(scenario);
    const same = ids.get(hash);
    if (same) same.push(scenario.id);
    else ids.set(hash, [scenario.id]);
  }
  return ids;
}

function searchText({ id, description, tags }: Scenario): string {
  return toJsonText([id, description, ...tags.map((tag) => `#${tag}`), ""].join("\n").toLowerCase());
}

async function list(reader: Reader, { limit, ...filter }: Parameters<Library["list"]>[0]): ReturnType<Library["list"]> {
  const found = await newest(reader, filter)
    .select(["id", sql<number>`octet_length(definition)`.as("bytes")])
    .limit(limit + 1)
    .execute();
  const page = found.slice(0, countWithinBytes(found.slice(0, limit)));
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) return { entries: [], next_cursor: null };
  const rows = await newest(reader, filter)
    .where("id", ">=", first.id)
    .where("id", "<=", last.id)
    .select(["id", "version", "definition", "demo", "created_at"])
    .select((outer) =>
      outer
        .selectFrom("library_scenario as each")
        .whereRef("each.id", "=", "library_scenario.id")
        .select((inner) => inner.fn.countAll<number>().as("count"))
        .as("versions"),
    )
    .execute();
  return {
    entries: rows.map((row) => {
      const { id, description, tags, interactions } = fromJsonText<Scenario>(row.definition);
      return {
        id,
        description,
        tags,
        interactions: interactions.length,
        version: row.version,
        versions: Number(row.versions),
        updated_at: row.created_at,
        demo: row.demo === 1,
      };
    }),
    next_cursor: found.length > page.length ? toIdCursor(fromJsonText(last.id)) : null,
  };
}

/** The newest version of every matching scenario, ordered by id. */
function newest(reader: Reader, { id, search, tag, cursor }: Omit<Parameters<Library["list"]>[0], "limit">) {
  let query = reader.selectFrom("library_scenario").where("newest", "=", 1).orderBy("id");
  if (id !== undefined) query = query.where("id", "=", toJsonText(id));
  if (cursor !== undefined) query = query.where("id", ">", toJsonText(parseIdCursor(cursor)));
  if (search !== undefined) query = query.where(containsText(sql`search`, search.toLowerCase()));
  if (tag !== undefined) query = query.where(containsText(sql`search`, `\n#${tag}\n`.toLowerCase()));
  return query;
}

async function find(reader: Reader, id: string, version: string | undefined): Promise<StoredVersion | null> {
  if (version !== undefined && !isPlainId(version)) return null;
  const query = reader
    .selectFrom("library_scenario")
    .select(["definition", "version", "created_at", "demo"])
    .where("id", "=", toJsonText(id));
  const row = await (
    version === undefined ? query.where("newest", "=", 1) : query.where("version", "=", version)
  ).executeTakeFirst();
  if (!row) return null;
  return {
    scenario: fromJsonText<Scenario>(row.definition),
    version: row.version,
    created_at: row.created_at,
    demo: row.demo === 1,
  };
}
