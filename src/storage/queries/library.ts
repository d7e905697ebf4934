import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Library, StoredVersion } from "../../contract/ports/library.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { Database, Reader, Writer } from "../database.ts";
import { fromJsonText, toJsonText } from "../json-text.ts";
import { isPlainId } from "../plain-id.ts";
import { contains } from "./contains.ts";
import { countThatFit } from "./count-that-fit.ts";
import { parseIdCursor, toIdCursor } from "./cursor.ts";

interface LibraryOptions {
  /** Makes changes of the library follow one another where a database has many writers. Held until the transaction ends. */
  readonly lock?: (writer: Writer) => Promise<void>;
}

/** The scenario library on any database that has our schema. Ids are kept as JSON text, like every text of the user's. */
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

/** Of scenarios that lost their newest version, the one before it takes its place. */
async function electNewest(writer: Writer): Promise<void> {
  await sql`update library_scenario set newest = 1 where newest = 0 and number =
    (select max(number) from library_scenario as other where other.id = library_scenario.id)`.execute(writer);
}

/** An older version that is stored again becomes the newest one. */
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

/** What a user stores stays when the demo is removed, also when a demo brought it. */
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

/** Far below the parameters a statement may have. */
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
      // The first, and for that one itself the second: thousands may have the same turns.
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

/** The ids of scenarios by their turns. Others get their say in between: there may be tens of thousands. */
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
  const page = found.slice(0, countThatFit(found.slice(0, limit)));
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

/** The newest version of every scenario that is looked for, by id. */
function newest(reader: Reader, { id, search, tag, cursor }: Omit<Parameters<Library["list"]>[0], "limit">) {
  let query = reader.selectFrom("library_scenario").where("newest", "=", 1).orderBy("id");
  if (id !== undefined) query = query.where("id", "=", toJsonText(id));
  if (cursor !== undefined) query = query.where("id", ">", toJsonText(parseIdCursor(cursor)));
  if (search !== undefined) query = query.where(contains(sql`search`, search.toLowerCase()));
  if (tag !== undefined) query = query.where(contains(sql`search`, `\n#${tag}\n`.toLowerCase()));
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

/** The same for scenarios that ask and expect the same, whatever else is said about them. */
export function turnsHash({ interactions }: Pick<Scenario, "interactions">): string {
  const turns = interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]);
  return createHash("sha256").update(JSON.stringify(turns)).digest("hex");
}
