import { expect, test } from "vitest";
import type { ColumnMapping } from "../documents/columns.ts";
import { importScenarios } from "../import-scenarios.ts";

test("reads traces of a session as turns in order, with outputs as references only if mapped", () => {
  const text = [
    "bookmarked,id,timestamp,name,userId,release,sessionId,environment,input,output,metadata,tags",
    `false,t3,2026-01-02T10:00:09Z,chat,u,1,s1,live,And when?,At noon.,"{""intent"": ""delivery""}","[""a""]"`,
    `false,t2,2026-01-02T10:00:00Z,chat,u,1,s1,live,"{""messages"": [{""role"": ""user"", ""content"": ""My parcel?""}]}","{""role"": ""assistant"", ""content"": ""Tomorrow.""}",{},[]`,
    "false,t1,2026-01-01T10:00:00Z,chat,u,1,,live,,Hello,{},[]",
  ].join("\n");
  const { scenarios, notes } = importScenarios({ text, name: "traces.csv" });
  const turn = { reference_reply: "", reference_metadata: {} };
  expect(scenarios).toMatchObject([
    {
      id: "s1",
      tags: ["a"],
      interactions: [
        { ...turn, id: "t2", user_message: "My parcel?", agent_reply: "Tomorrow." },
        {
          ...turn,
          id: "t3",
          user_message: "And when?",
          agent_reply: "At noon.",
          reference_metadata: { intent: "delivery" },
        },
      ],
    },
  ]);
  expect(notes.map(({ message }) => message)).toEqual([
    "intent is a label: replies are compared with it",
    "the trace has no input",
    expect.stringContaining("kept as agent_reply"),
    expect.stringContaining("kept as metadata, not scored: bookmarked, timestamp, name, userId"),
  ]);
  const asked = importScenarios({ text, name: "traces.csv", mapping: { reference: "output" } });
  expect(asked.scenarios[0]?.interactions.map((each) => each.reference_reply)).toEqual(["Tomorrow.", "At noon."]);
});

test("reads references and labels of a dataset made from traces", () => {
  const text = "id,timestamp,bookmarked,input,output,Quality\n1,2026-01-02T10:00:00Z,false,Hi,Hello,good\n";
  const first = (mapping: ColumnMapping, table = text) =>
    importScenarios({ text: table, name: "traces.csv", mapping }).scenarios[0]?.interactions[0];
  expect(first({}, text.replace("Quality", "expected"))?.reference_reply).toBe("good");
  expect(first({ reference: "Quality" })?.reference_reply).toBe("good");
  expect(first({ labels: ["quality"] })).toMatchObject({
    agent_reply: "Hello",
    reference_metadata: { Quality: "good" },
  });
  expect(() => first({ labels: ["tone"] })).toThrow('there is no column "tone"');
});

test("drops the steps of a trace from Langfuse observations in JSON", () => {
  const observation = {
    traceId: "t",
    startTime: "2026-01-02T10:00:00Z",
    level: "DEFAULT",
    input: "Hi",
    output: "Hello",
  };
  const items = [
    { ...observation, id: "o2", parentObservationId: "o1" },
    { ...observation, id: "o1", parentObservationId: null },
  ];
  const { scenarios, notes } = importScenarios({ text: JSON.stringify(items) });
  expect(scenarios).toMatchObject([{ id: "o1", interactions: [{ agent_reply: "Hello", reference_metadata: {} }] }]);
  expect(notes).toContainEqual({ kind: "dropped", line: 1, pointer: "/0", message: "this is a step of a trace" });
});

test("reads only the root spans of Braintrust", () => {
  const span = {
    input: { question: "My parcel?" },
    output: "No idea",
    created: "2026-01-01T00:00:00Z",
    metadata: null,
  };
  const spans = [
    { ...span, id: "r1", span_id: "s1", is_root: true, span_parents: null, expected: "Tomorrow." },
    { ...span, id: "r2", span_id: "s2", is_root: false, span_parents: ["s1"], metadata: { model: "m" } },
  ];
  const { scenarios, notes } = importScenarios({ text: spans.map((each) => JSON.stringify(each)).join("\n") });
  expect(scenarios).toMatchObject([
    { id: "r1", interactions: [{ user_message: "My parcel?", reference_reply: "Tomorrow.", reference_metadata: {} }] },
  ]);
  expect(notes).toContainEqual({ kind: "dropped", line: 2, message: "this is a step of a trace" });
  expect(notes.map(({ message }) => message).join()).not.toContain("model");
});
