import { expect, test } from "vitest";
import { parseColumnMapping } from "../documents/columns.ts";
import { importScenarios } from "../import-scenarios.ts";
import { detectDelimiter, readTable } from "./read-table.ts";

const turns = (text: string, mapping?: string) => {
  const { scenarios, notes } = importScenarios({
    text,
    ...(mapping !== undefined && { mapping: parseColumnMapping(mapping) }),
  });
  return {
    turns: scenarios.map(({ interactions }) => interactions.map((turn) => [turn.user_message, turn.reference_reply])),
    notes: notes.filter(({ kind }) => kind !== "kept"),
    scenarios,
  };
};

test.each([
  ["a,b\n1;2;3,4", ","],
  ["a;b;c\n1,5;2,5;3", ";"],
  ["a\tb", "\t"],
  ['"a,b"|c', "|"],
  ["alone", ","],
  ["\r\n \na;b,c;d", ";"],
  ["sep=;\r\na,b;c,d,e", ";"],
])("detects the separator of %j as %j", (text, delimiter) => {
  expect(detectDelimiter(text)).toBe(delimiter);
});

test("reads a Markdown table without its separator line and padding", () => {
  const table = "| question | answer |\n|:---|---:|\n| Where? | Here. |\n| -- | Nowhere. |\n";
  expect(turns(table).turns).toEqual([[["Where?", "Here."]], [["--", "Nowhere."]]]);
  expect(turns("question,answer\n---,---\n").turns).toEqual([[["---", "---"]]]);
});

test("keeps only written cells of a row, however many columns there are", () => {
  const text = "question,answer,,c4,c5\n'=1,a\nq2,,x\n";
  const notes: string[] = [];
  const { rows } = readTable({ text, collector: { note: (_kind, _place, message) => notes.push(message) } });
  expect(rows.map(({ cells }) => cells)).toEqual([
    { question: "=1", answer: "a" },
    { question: "q2", answer: "" },
  ]);
  expect(notes).toEqual(["column 3 has no name; its cells were dropped (1)"]);
});

test.each([
  "input,expected",
  "Question;Answer",
  "prompt\ttarget",
  "user_message|reference_reply",
  "Query,Expected Output",
  "question,truth",
])("reads a question per row with the columns %j", (header) => {
  const separator = detectDelimiter(header);
  expect(turns(`${header}\nhi${separator}hello\n`).turns).toEqual([[["hi", "hello"]]]);
});

test.each(["\n\r\n", ";;\n", "sep=;\r\n", '"sep=;"\n\n'])("skips %j before the header", (start) => {
  const { turns: read, notes } = turns(`${start}question;answer\nhi;hello\n;no question\n`);
  expect(read).toEqual([[["hi", "hello"]]]);
  const line = start.split("\n").length + 2;
  expect(notes).toEqual([{ kind: "dropped", line, message: "the row has no question" }]);
});

test("reads quotes inside a cell, and blanks around a quoted one, like spreadsheets", () => {
  const rows = ['Is a 5" pipe there?,The "big" one.', '"""Hi,"" she said" , "Yes, Madam"', 'A 6" pipe,"Two\nlines"'];
  const { scenarios } = importScenarios({ text: `question,answer\n${rows.join("\n")}\n` });
  expect(scenarios.flatMap(({ interactions }) => interactions)).toMatchObject([
    { user_message: 'Is a 5" pipe there?', reference_reply: 'The "big" one.' },
    { user_message: '"Hi," she said', reference_reply: "Yes, Madam" },
    { user_message: 'A 6" pipe', reference_reply: "Two\nlines" },
  ]);
});

test("reads irregular quotes between tabs as text", () => {
  const rows = ['"Yes" is what she said\tWhat?', 'An open " quote\tA 5" pipe', '"Another one\t"Fine"'];
  const { scenarios } = importScenarios({ text: `question\tanswer\n${rows.join("\n")}\n`, name: "rows.tsv" });
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  expect(turns.map((turn) => [turn.user_message, turn.reference_reply])).toEqual(rows.map((row) => row.split("\t")));
});

test("keeps a second reference column as metadata and says how to use it", () => {
  const { notes, scenarios } = importScenarios({ text: "input,expected,output\nhi,hello,bye\n" });
  expect(notes).toMatchObject([
    {
      line: 1,
      message: "column output: expected is used as reference; map reference=output to use this column instead",
    },
  ]);
  expect(scenarios[0]).toMatchObject({ metadata: { output: "bye" }, interactions: [{ reference_metadata: {} }] });
});

test("notes extra cells, repeated columns and rows without a question by line", () => {
  const { notes } = turns('input,expected,input\n"a\nb",c,d,e\n,x\n');
  expect(notes.map(({ line, message }) => [line, message])).toEqual([
    [1, "a second column input; the first one is used"],
    [2, "the row has 1 more cell than there are columns"],
    [4, "the row has no input"],
  ]);
});

test("notes cells of an unnamed column once", () => {
  const { turns: read, notes } = turns(",input,expected,\n0,a,b,\n1,c,d,see below\n");
  expect(read).toEqual([[["a", "b"]], [["c", "d"]]]);
  expect(notes.map(({ line, message }) => [line, message])).toEqual([
    [1, "column 1 has no name; its cells were dropped (2)"],
    [1, "column 4 has no name; its cells were dropped (1)"],
  ]);
});

test("joins rows with one id if their turns are numbered", () => {
  const { turns: read, scenarios, notes } = turns("id,turn,input\nb,1,c\na,2,Bye\na,1,Hi\n");
  expect(read).toEqual([
    [["c", ""]],
    [
      ["Hi", ""],
      ["Bye", ""],
    ],
  ]);
  expect(scenarios.map(({ id }) => id)).toEqual(["b", "a"]);
  expect(notes).toEqual([]);
});

test("notes turn numbers without a conversation column", () => {
  expect(turns("id,turn,input\na,1,Hi\nb,1,Ho\n").notes).toEqual([]);
  expect(turns("turn,input\n1,Hi\n2,Ho\n").notes).toMatchObject([
    { line: 1, message: expect.stringMatching(/^column turn: no column says which rows belong to one conversation/) },
  ]);
});

test("keeps turns without numbers in file order, with a note", () => {
  const { turns: found, notes } = turns("conversation_id,turn,user\na,2,second\na,first,other\n");
  expect(found).toEqual([
    [
      ["second", ""],
      ["other", ""],
    ],
  ]);
  expect(notes).toMatchObject([
    { line: 3, message: 'the turn "first" is not a number; the rows keep their file order' },
  ]);
});

test("uses the first of several answers as the reference reply and the others as references", () => {
  const rows = [
    { question: "Capital?", answer: ["Paris", "paris"] },
    { question: "Sum?", answer: { text: "4" } },
    { question: "Pair?", answer: [{ x: 1 }] },
  ];
  const { scenarios, notes } = turns(rows.map((row) => JSON.stringify(row)).join("\n"));
  expect(scenarios.map(({ interactions }) => interactions[0])).toMatchObject([
    { reference_reply: "Paris", references: ["paris"] },
    { reference_reply: "4" },
    { reference_reply: '[{"x":1}]' },
  ]);
  expect(notes).toMatchObject([{ kind: "changed", line: 3, pointer: "/answer" }]);
});

test("reads flat JSON objects as rows whose labels keep their type", () => {
  const text = '{"question":"a","answer":1,"stars":5}\n{"question":"b","answer":null}\n';
  const { turns: found, scenarios } = turns(text);
  expect(found).toEqual([[["a", "1"]], [["b", ""]]]);
  expect(scenarios[0]?.metadata).toEqual({ stars: 5 });
  expect(turns(text, "labels=stars").scenarios[0]?.interactions[0]?.reference_metadata).toEqual({ stars: 5 });
});

test("reads an object or a conversation as the user's side of a JSON row, and objects never as labels", () => {
  const rows = [
    { id: 1, input: { question: "Where?" }, expected: "Here", area: ["a", "b"], metadata: { source: "x" } },
    {
      id: 2,
      input: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
        { role: "user", content: "Bye" },
      ],
      expected: "See you",
      area: "c",
    },
  ];
  const { scenarios, notes } = importScenarios({ text: JSON.stringify(rows) });
  expect(scenarios).toMatchObject([
    {
      metadata: { area: ["a", "b"], source: "x" },
      interactions: [{ user_message: "Where?", reference_reply: "Here", reference_metadata: {} }],
    },
    {
      system_prompt: "Be kind.",
      metadata: { area: "c" },
      interactions: [
        { user_message: "Hi", reference_reply: "Hello", reference_metadata: {} },
        { user_message: "Bye", reference_reply: "See you", reference_metadata: {} },
      ],
    },
  ]);
  expect(notes.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
    "kept metadata is kept, not scored: source (name labels with the mapping labels=…)",
    "kept kept as metadata, not scored: area (name labels with the mapping labels=…)",
  ]);
});

test("refuses an invalid mapping", () => {
  expect(() => parseColumnMapping("user")).toThrow('the mapping "user" is not of the form role=column');
  expect(() => parseColumnMapping("who=x")).toThrow('"who" is not a role');
  expect(parseColumnMapping("input = frage , labels=a|b")).toEqual({ user: "frage", labels: ["a", "b"] });
});

const chat = [
  { role: "system", content: "Be kind." },
  { role: "user", content: "Hi" },
  { role: "assistant", content: 'I\'m "here"' },
  { role: "user", content: "Bye" },
];
const python = `[{'role': 'system', 'content': 'Be kind.'}, {'role': 'user', 'content': 'Hi'},
 {'role': 'assistant', 'content': 'I\\'m "here"', 'name': None}, {'role': 'user', 'content': 'Bye'}]`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

test.each([
  ["messages,expected,topic", JSON.stringify(chat)],
  ["input,expected,topic", JSON.stringify({ messages: chat })],
  ["dialog,expected,topic", python],
])("reads a conversation in a cell of %j", (header, cell) => {
  const { scenarios, notes } = turns(`${header}\n${quoted(cell)},See you,farewell\n`);
  expect(notes).toEqual([]);
  expect(scenarios).toMatchObject([
    {
      system_prompt: "Be kind.",
      tags: ["farewell"],
      interactions: [
        { user_message: "Hi", reference_reply: 'I\'m "here"', reference_metadata: {} },
        { user_message: "Bye", reference_reply: "See you", reference_metadata: {} },
      ],
    },
  ]);
});

test("uses the last reply of a conversation in a cell as the reference, and notes other fields", () => {
  const input = { messages: [...chat, { role: "assistant", content: "Ciao" }], tools: ["search"] };
  const { turns: read, notes } = turns(`input,expected\n${quoted(JSON.stringify(input))},\n`);
  expect(read[0]?.at(-1)).toEqual(["Bye", "Ciao"]);
  const message = "not part of the user's message; kept as metadata: tools";
  expect(notes).toEqual([{ kind: "changed", line: 2, pointer: "/input", message }]);
});

test("keeps text that looks like a conversation in our own tables and in other cells", () => {
  const cell = quoted(JSON.stringify(chat));
  expect(turns(`user_message,reference_reply\n${cell},x\n`).turns).toEqual([[[JSON.stringify(chat), "x"]]]);
  expect(turns('question,answer\n"[1, {""role"": 2}]",x\n').turns).toEqual([[['[1, {"role": 2}]', "x"]]]);
  expect(() => turns(`chosen,rejected\n${cell},${cell}\n`)).toThrow("no column holds the user's message");
});

test("uses only intent and sentiment as labels, announces them, and keeps other columns", () => {
  const header = "question,answer,Intent,sentiment,topic,stars,faithfulness,split";
  const { scenarios, notes } = importScenarios({
    text: `${header}\na,b,ask,good,c,4,0.5,test\nd,e,tell,,f,5,1,test\n`,
  });
  expect(scenarios).toMatchObject([
    {
      tags: ["c", "test"],
      metadata: { stars: "4", faithfulness: "0.5" },
      interactions: [{ reference_metadata: { Intent: "ask", sentiment: "good" } }],
    },
    { tags: ["f", "test"], interactions: [{ reference_metadata: { Intent: "tell" } }] },
  ]);
  expect(notes).toEqual([
    { kind: "kept", message: "Intent is a label: replies are compared with it" },
    { kind: "kept", message: "sentiment is a label: replies are compared with it" },
    { kind: "kept", line: 1, message: "kept as tags, not scored: topic, split" },
    {
      kind: "kept",
      line: 1,
      message: "kept as metadata, not scored: stars, faithfulness (name labels with the mapping labels=…)",
    },
  ]);
});

test("uses exactly the mapped columns as labels", () => {
  const mapping = parseColumnMapping("labels=topic");
  const { scenarios, notes } = importScenarios({ text: "question,answer,intent,topic\na,b,ask,c\n", mapping });
  expect(scenarios[0]).toMatchObject({
    metadata: { intent: "ask" },
    interactions: [{ reference_metadata: { topic: "c" } }],
  });
  expect(notes[0]).toEqual({ kind: "kept", message: "topic is a label: replies are compared with it" });
});

test("keeps the values of all turns of a scenario where they differ", () => {
  const { scenarios } = turns("scenario_id,turn,question,mood,place\ns,1,a,x,z\ns,2,b,y,z\n");
  expect(scenarios[0]?.metadata).toEqual({ mood: ["x", "y"], place: "z" });
});

test.each([
  "latency",
  "latency_ms",
  "latencyMs",
  "inputTokens",
  "start_time",
  "endTime",
  "line_number",
  "reference_context",
  "answer_length",
  "completion_tokens",
  "processed_at",
  "startedAt",
  "traceID",
  "userid",
])("keeps %s without using it as a label", (name) => {
  const { scenarios } = turns(`question,answer,${name}\na,b,740\n`);
  expect(scenarios[0]).toMatchObject({ metadata: { [name]: "740" }, interactions: [{ reference_metadata: {} }] });
});

test("ignores a column of empty lists without a note", () => {
  const rows = [
    { question: "Hi", chat_history: [], moods: ["a"] },
    { question: "Bye", chat_history: [], moods: [] },
  ];
  const { scenarios, notes } = importScenarios({ text: JSON.stringify(rows) });
  expect(scenarios[0]?.metadata).toEqual({ moods: ["a"] });
  expect(notes.map(({ message }) => message).join()).not.toContain("chat_history");
});

test("reads the response beside Ragas' user_input as a past reply", () => {
  const { scenarios } = turns("user_input,response,reference\na,said,wanted\n");
  expect(scenarios[0]?.interactions).toMatchObject([{ reference_reply: "wanted", agent_reply: "said" }]);
  expect(turns("user_input,response\na,said\n").turns).toEqual([[["a", ""]]]);
  expect(turns("user_input,response\na,said\n", "reference=response").turns).toEqual([[["a", "said"]]]);
  expect(turns("question,response\na,wanted\n").turns).toEqual([[["a", "wanted"]]]);
});

test.each(["rubric", "Rubrics", "criteria", "grading_criteria"])("reads %s as rubrics for the judge", (name) => {
  const { scenarios, notes } = turns(`question,${name},topic\nHow long?,Names the days.,delivery\nWhy?,,why\n`);
  expect(scenarios.map(({ interactions }) => interactions[0])).toMatchObject([
    { checks: [{ type: "rubric", text: "Names the days." }], reference_metadata: {} },
    { reference_metadata: {} },
  ]);
  expect(scenarios[1]?.interactions[0]).not.toHaveProperty("checks");
  expect(notes).toEqual([]);
});

test("makes several rubrics of a row separate checks, without their points", () => {
  const rubrics = ["Names the days.", { criterion: "Is kind.", points: 5 }, { criterion: "Is rude.", points: -3 }];
  const { scenarios, notes } = turns(JSON.stringify([{ question: "How long?", rubrics }]));
  expect(scenarios[0]?.interactions[0]?.checks).toEqual([
    { type: "rubric", text: "Names the days." },
    { type: "rubric", text: "Is kind." },
  ]);
  expect(notes.map(({ message }) => message)).toEqual([
    "rubrics count equally; their points were dropped",
    "a rubric with negative points is not supported",
  ]);
});

test("parses lists and objects in kept cells", () => {
  const { scenarios } = turns('question,moods,extra\na,"[""x"", ""y""]","{""k"": 1}"\nb,[unsure],\n');
  expect(scenarios.map(({ metadata }) => metadata)).toEqual([
    { moods: ["x", "y"], extra: { k: 1 } },
    { moods: "[unsure]" },
  ]);
});

test.each([
  ["JSON", JSON.stringify({ question: "And how much?", chat_history: chat.slice(1, 3), answer: "5 €", area: "price" })],
  [
    "a table",
    `question,chat_history,answer,area\nAnd how much?,${quoted(JSON.stringify(chat.slice(1, 3)))},5 €,price\n`,
  ],
])("reads the history beside a question, in %s", (_written, text) => {
  const { scenarios, notes } = importScenarios({ text });
  expect(notes.map(({ kind }) => kind)).toEqual(["kept"]);
  expect(scenarios[0]?.metadata).toEqual({ area: "price" });
  expect(scenarios[0]?.interactions).toMatchObject([
    { user_message: "Hi", reference_reply: 'I\'m "here"', reference_metadata: {} },
    { user_message: "And how much?", reference_reply: "5 €", reference_metadata: {} },
  ]);
});

test("reads rows with different fields in reasonable time", () => {
  const rows = Array.from({ length: 4_000 }, (_, index) => ({ question: `Q${index}`, [`k${index}`]: "v" }));
  const { scenarios } = importScenarios({ text: JSON.stringify(rows), name: "a.json" });
  expect(scenarios).toHaveLength(4_000);
  expect(scenarios.at(-1)?.metadata).toEqual({ k3999: "v" });
});

test("lists only some columns of a file that is not a table, shortened", () => {
  const names = Array.from({ length: 25 }, (_, index) => `c${index}`);
  expect(() => importScenarios({ text: names.join(","), name: "a.csv" })).toThrow(/c18, c19 and 5 more$/);
  expect(() => importScenarios({ text: "word ".repeat(10_000), name: "a.csv" })).toThrow(
    /the columns are (?:word ){20}…$/,
  );
});

test("reads prompt flow's chat history, which pairs inputs and outputs", () => {
  const chat_history = [{ inputs: { question: "How are you?" }, outputs: { answer: "Fine.", cost: 1 } }];
  const { turns: read } = turns(JSON.stringify({ question: "Really?", chat_history, ground_truth: "Yes." }));
  expect(read).toEqual([
    [
      ["How are you?", "Fine."],
      ["Really?", "Yes."],
    ],
  ]);
});

test("keeps the outputs of a generator as past replies", () => {
  const row = { instruction: "Name a colour.", output: "Red", generator: "small-1" };
  expect(importScenarios({ text: JSON.stringify([row]) }).scenarios[0]?.interactions).toMatchObject([
    { user_message: "Name a colour.", agent_reply: "Red", reference_reply: "" },
  ]);
});

test("asks a question once if it follows or repeats an open one", () => {
  const asked = (history: object[]) =>
    turns(JSON.stringify({ question: "Which?", chat_history: history })).turns[0]?.map(([user]) => user);
  expect(asked([{ role: "user", content: "Hi" }])).toEqual(["Hi", "Which?"]);
  expect(asked([{ role: "user", content: "Which?" }])).toEqual(["Which?"]);
});

test("reads objects expected of a text question as JSON replies", () => {
  const { turns: read, notes } = turns('question,expected\nClassify,"{""answer"": ""yes"", ""sure"": true}"\n');
  expect(read).toEqual([[["Classify", '{"answer": "yes", "sure": true}']]]);
  expect(notes).toEqual([]);
});

test("parses objects only if all cells of a column are objects", () => {
  const row = '"{""question"": ""2+2?"", ""area"": ""math""}","{""answer"": ""4""}"\n';
  const { turns: read, notes } = turns(`input,output\n${row}`);
  expect(read).toEqual([[["2+2?", "4"]]]);
  expect(notes.map(({ message }) => message)).toEqual(["not part of the user's message; kept as metadata: area"]);
  expect(turns(`input,output\n${row}plain,text\n`).turns[0]).toEqual([
    ['{"question": "2+2?", "area": "math"}', '{"answer": "4"}'],
  ]);
});

test("accepts a comma in a mapped column name", () => {
  const text = 'id,"Question, in full","Topic, type"\n1,Hi,"a, b"\n';
  expect(() => turns(text)).toThrow('the columns are id, "Question, in full", "Topic, type"');
  const { scenarios } = turns(text, "user=Question, in full,labels=Topic, type,id=id");
  expect(scenarios).toMatchObject([
    { id: "1", interactions: [{ user_message: "Hi", reference_metadata: { "Topic, type": "a, b" } }] },
  ]);
});

test("adds only the new messages of session rows that repeat earlier ones", () => {
  const row = (id: string, messages: readonly object[], reply: string) =>
    [id, "s1", quoted(JSON.stringify(messages)), quoted(JSON.stringify({ role: "assistant", content: reply }))].join(
      ",",
    );
  const [hi, hello, bye] = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Bye" },
  ];
  const text = `id,sessionId,input,output\n${row("t1", [hi], "Hello")}\n${row("t2", [hi, hello, bye], "Ciao")}\n`;
  const { turns: read, notes } = turns(text);
  expect(read).toEqual([
    [
      ["Hi", "Hello"],
      ["Bye", "Ciao"],
    ],
  ]);
  expect(notes).toEqual([]);
  expect(turns("sessionId,question,answer\ns,Hi,a\ns,Hi,b\n").turns[0]).toHaveLength(2);
});

test("reads labels from a metadata cell, as in JSON", () => {
  const text = `input,output,metadata\nQ,A,${quoted(JSON.stringify({ intent: "order", area: "x" }))}\n`;
  const { scenarios, notes } = importScenarios({ text });
  expect(scenarios[0]).toMatchObject({
    metadata: { area: "x" },
    interactions: [{ reference_metadata: { intent: "order" } }],
  });
  expect(notes).toContainEqual(
    expect.objectContaining({
      line: 2,
      pointer: "/metadata",
      message: expect.stringContaining("not scored: area") as string,
    }),
  );
  const named = turns(text, "labels=area").scenarios[0]?.interactions[0]?.reference_metadata;
  expect(named).toEqual({ area: "x" });
  expect(() => turns(text, "labels=nothing")).toThrow('there is no column "nothing"');
});
