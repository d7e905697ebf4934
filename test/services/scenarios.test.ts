import { afterAll, beforeAll, expect, test } from "vitest";
import { KeptScenarios } from "../../src/contract/schemas/library.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

let services: RunningServices;
beforeAll(async () => {
  services = await runServices();
});
afterAll(() => services[Symbol.asyncDispose]());

const at = (path: string): string => `${services.evaluation}/scenarios${path}`;
const turn = (user_message: string, reference_reply = "") => ({ id: user_message, user_message, reference_reply });

test("a scenario is kept once per content, and every version stays readable", async () => {
  const scenario = { id: "refund/ä b", interactions: [turn("Money back?", "Of course.")], tags: ["billing"] };
  const first = (await send(at(""), { body: scenario })).body as { scenarios: { version: string; created: boolean }[] };
  const again = await send(at(""), { body: scenario });
  expect(again.body).toEqual({ scenarios: [{ ...first.scenarios[0], created: false }] });
  await send(at(""), { body: { ...scenario, description: "changed" } });

  const path = `/${encodeURIComponent(scenario.id)}`;
  expect((await send(at(path))).body).toMatchObject({ scenario: { description: "changed" } });
  const old = await send(at(`${path}?version=${first.scenarios[0]?.version}`));
  expect(old.body).toMatchObject({ scenario: { description: "", interactions: [{ interaction_type: "opening" }] } });
  expect((await send(at(`${path}/versions`))).body).toMatchObject({ versions: [{}, {}] });
  expect((await send(at("?tag=billing"))).body).toMatchObject({ scenarios: [{ id: scenario.id, versions: 2 }] });

  expect((await send(at(path), { method: "DELETE" })).status).toBe(204);
  const gone = await send(at(path));
  expect([gone.status, Problem.parse(gone.body).code]).toEqual([404, "not_found"]);
});

test("fields that are not kept are named", async () => {
  const misspelled = { id: "misspelled", interactions: [{ ...turn("Hi"), refrence_reply: "Hello" }] };
  const { body } = await send(at(""), { body: misspelled });
  expect(KeptScenarios.parse(body).warnings).toMatchObject([
    { pointer: "/interactions/0/refrence_reply", suggestion: "reference_reply" },
  ]);
  const several = await send(at(""), { body: [{ id: "right", interactions: [turn("Hi")] }, misspelled] });
  expect(KeptScenarios.parse(several.body).warnings).toMatchObject([{ pointer: "/1/interactions/0/refrence_reply" }]);
  for (const id of ["misspelled", "right"]) await send(at(`/${id}`), { method: "DELETE" });
});

test.each([".", ".."])("the id %j, which no URL can address, is refused", async (id) => {
  const refused = await send(at(""), { body: { id, interactions: [turn("Hi")] } });
  expect([refused.status, Problem.parse(refused.body).detail]).toEqual([
    422,
    `A library scenario cannot have the id ${JSON.stringify(id)}: no URL can address it.`,
  ]);
  const imported = await send(at("/import"), { body: { text: JSON.stringify([{ id, interactions: [turn("Hi")] }]) } });
  expect(imported.status).toBe(422);
  const dots = { id: "...", interactions: [turn("Dots")] };
  expect((await send(at(""), { body: dots })).status).toBe(200);
  expect((await send(at("/..."), { method: "DELETE" })).status).toBe(204);
});

test("half a character, which no address can hold, is no part of an id", async () => {
  const refused = await send(at(""), { body: { id: "half \ud83d", interactions: [turn("Hi")] } });
  expect([refused.status, Problem.parse(refused.body).detail]).toEqual([
    422,
    'A library scenario cannot have the id "half \\ud83d": no URL can address it.',
  ]);
});

test("a scenario that no run would accept is refused when it is stored, with its place", async () => {
  const doubled = { id: "doubled", interactions: [turn("Hi"), turn("Hi")] };
  const checks = [
    { type: "regex", pattern: "((" },
    { type: "contains", name: "overall", text: "x" },
  ];
  const unusable = { id: "unusable", interactions: [{ ...turn("Hi"), checks }] };
  const pointers = async (body: unknown): Promise<unknown> => {
    const answer = await send(at(""), { body });
    return [answer.status, Problem.parse(answer.body).errors?.map(({ pointer }) => pointer)];
  };
  expect(await pointers(doubled)).toEqual([422, ["/interactions/1/id"]]);
  const places = ["/interactions/0/checks/1/name", "/interactions/0/checks/0/pattern"];
  expect(await pointers(unusable)).toEqual([422, places]);
  const several = [{ id: "fine", interactions: [turn("Hi")] }, unusable];
  expect(await pointers(several)).toEqual([422, places.map((place) => `/1${place}`)]);
  expect((await send(at("/fine"))).status).toBe(404);
});

test("the same turns under another name are pointed out", async () => {
  await send(at(""), { body: { id: "one", interactions: [turn("Hello there")] } });
  const answer = await send(at(""), { body: { id: "two", interactions: [turn("Hello there")] } });
  expect(answer.body).toMatchObject({ scenarios: [{ id: "two", duplicate_of: "one" }] });
});

test("a file of another tool is imported with notes, or only looked at", async () => {
  const text = '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello!"}]}\n';
  const looked = await send(at("/import"), { body: { text, dry_run: true } });
  expect(looked.body).toMatchObject({
    format: "openai-chat",
    kept: [],
    scenarios: [{ interactions: [{ user_message: "Hi" }] }],
  });
  const misspelled = await send(at("/import"), { body: { text, dry_run: true, frmat: "json" } });
  expect(misspelled.body).toMatchObject({ warnings: [{ pointer: "/frmat", suggestion: "format" }] });
  const kept = await send(at("/import"), { body: { text } });
  expect(kept.body).toMatchObject({ kept: [{ created: true }] });
});

test("a file without scenarios is refused at the place of the error", async () => {
  const broken = await send(at("/import"), { body: { text: '{"messages": [', format: "json" } });
  const problem = Problem.parse(broken.body);
  expect([broken.status, problem.errors?.[0]?.pointer]).toEqual([422, "/text"]);
  const unknown = await send(at("/import"), { body: { text: "", format: "word" } });
  expect(Problem.parse(unknown.body).errors?.[0]?.pointer).toBe("/format");
});

test("while a long file is read, everybody else is answered", async () => {
  const text = Array.from({ length: 4_000 }, (_, index) => `k${index}: {a: [b, c]}\n`).join("");
  const reading = send(at("/import"), { body: { text, format: "yaml", dry_run: true } });
  let answered = 0;
  let done = false;
  void reading.finally(() => (done = true));
  while (!done) {
    await send(at("?limit=1"));
    answered++;
  }
  expect((await reading).body).toMatchObject({ format: "yaml", scenarios: [] });
  expect(answered).toBeGreaterThan(5);
});

test("the whole library can be taken out as a file", async () => {
  expect(await send(at("?format=csv&cursor=x"))).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "/cursor" }] },
  });
  const response = await fetch(at("?format=jsonl"));
  expect(response.headers.get("content-disposition")).toContain("scenarios.jsonl");
  const ids = (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: string }).id);
  expect(ids).toEqual(expect.arrayContaining(["one", "two"]));
});

test("a file that leaves something out says so in a header", async () => {
  await send(at(""), { body: { id: "ohne Gruß", interactions: [turn("Nothing is expected here")] } });
  const response = await fetch(at("?format=openai-chat"));
  const { count, notes } = JSON.parse(response.headers.get("rehearsal-export-notes") ?? "null") as {
    count: number;
    notes: string[];
  };
  expect(notes).toContain("ohne Gruß: dropped from turn 1 on, because that turn has no reference reply");
  expect(count).toBeGreaterThanOrEqual(notes.length);
  expect((await fetch(at("?format=jsonl"))).headers.get("rehearsal-export-notes")).toBeNull();
});
