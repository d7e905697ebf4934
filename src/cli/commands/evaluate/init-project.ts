import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The project that a folder holds, as far as its files show it. */
export interface Project {
  readonly language: "python" | "typescript" | "javascript";
  /** The name of a framework of agents, as people know it. */
  readonly framework: string | undefined;
  readonly runner: "pytest" | "vitest" | "jest" | "node:test";
}

/** Frameworks by the package that a project depends on, the more specific first, with how one is called. */
const frameworks: readonly {
  readonly packages: RegExp;
  readonly name: string;
  readonly python?: string;
  readonly typescript?: string;
}[] = [
  {
    packages: /^(langgraph|@langchain\/langgraph)$/,
    name: "LangGraph",
    python: `result = graph.invoke({"messages": messages}, {"configurable": {"thread_id": session.id}})`,
    typescript: `const result = await graph.invoke({ messages }, { configurable: { thread_id: session.id } });`,
  },
  {
    packages: /^pydantic-ai(-slim)?$/,
    name: "Pydantic AI",
    python: `result = agent.run_sync(messages[-1]["content"], message_history=session.state.get("history"))`,
  },
  {
    packages: /^(openai-agents|@openai\/agents)$/,
    name: "OpenAI Agents",
    python: `result = Runner.run_sync(agent, messages)`,
    typescript: `const result = await run(agent, messages.at(-1)?.content ?? "");`,
  },
  { packages: /^google-adk$/, name: "ADK" },
  { packages: /^strands-agents$/, name: "Strands" },
  { packages: /^crewai$/, name: "CrewAI" },
  { packages: /^(langchain|@langchain\/core)$/, name: "LangChain" },
  { packages: /^@mastra\/core$/, name: "Mastra", typescript: `const result = await agent.generate([...messages]);` },
  {
    packages: /^ai$/,
    name: "AI SDK",
    typescript: `const result = await generateText({ model, messages: [...messages] });`,
  },
  { packages: /^openai$/, name: "OpenAI" },
];

/** Looks at the files that declare a project's packages. Null for a folder that holds none. */
export async function detectProject(folder: string): Promise<Project | null> {
  const read = async (name: string): Promise<string> =>
    existsSync(join(folder, name)) ? readFile(join(folder, name), "utf8") : "";
  const python = await Promise.all(
    ["pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.py", "setup.cfg", "Pipfile"].map(read),
  );
  const manifest = await read("package.json");
  const frameworkIn = (packages: readonly string[]): string | undefined =>
    frameworks.find(({ packages: pattern }) => packages.some((name) => pattern.test(name)))?.name;
  if (python.some((text) => text !== "")) {
    // Names of packages stand in quotes, or at the beginning of a line.
    const names = [...python.join("\n").matchAll(/(?:^|["'])([A-Za-z][\w.-]*)/gm)].map(([, name = ""]) =>
      name.toLowerCase(),
    );
    return { language: "python", framework: frameworkIn(names), runner: "pytest" };
  }
  if (manifest === "") return null;
  const names = packagesOf(manifest);
  const isTyped = names.includes("typescript") || existsSync(join(folder, "tsconfig.json"));
  const runner = names.includes("vitest") ? "vitest" : names.includes("jest") ? "jest" : "node:test";
  return { language: isTyped ? "typescript" : "javascript", framework: frameworkIn(names), runner };
}

function packagesOf(manifest: string): readonly string[] {
  try {
    const { dependencies, devDependencies } = JSON.parse(manifest) as Record<
      string,
      Record<string, string> | undefined
    >;
    return [...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})];
  } catch {
    return [];
  }
}

/** The test of a project, by its path: it fails until the agent is connected. */
export function projectTest({ language, framework, runner }: Project): Record<string, string> {
  const known = frameworks.find(({ name }) => name === framework);
  const call = language === "python" ? known?.python : known?.typescript;
  const hint = framework === undefined ? "your agent" : `your ${framework} agent`;
  if (language === "python") return { "tests/test_conversations.py": pythonTest(hint, call) };
  const extension = language === "typescript" ? "ts" : runner === "node:test" ? "mjs" : "js";
  return {
    [`test/conversations.test.${extension}`]: scriptTest({ hint, call, runner, isTyped: language === "typescript" }),
  };
}

const pythonTest = (
  hint: string,
  call: string | undefined,
): string => `"""Every scenario is a test. \`pip install rehearsal-eval pytest\`, then \`pytest\`."""

import pytest


def agent(messages, *, session):
    # Call ${hint} here${call === undefined ? "" : `, such as:\n    # ${call}`}
    # Return a text, or rehearsal_eval.Reply(text=…, tool_calls=[…]), so that its calls can be judged.
    raise NotImplementedError("connect your agent in tests/test_conversations.py")


@pytest.mark.rehearsal("../scenarios/*.yaml", attempts=3)
def test_conversations(rehearsal):
    rehearsal(agent)
`;

function scriptTest(given: { hint: string; call: string | undefined; runner: string; isTyped: boolean }): string {
  const { hint, call, runner, isTyped } = given;
  const from = runner === "jest" ? "@jest/globals" : runner;
  const type = isTyped ? `\nimport type { TargetFunction } from "rehearsal-eval";` : "";
  return `// Every scenario is a test. \`npm install --save-dev rehearsal-eval\`, then run your tests.
import { test } from ${JSON.stringify(from)};
import { testScenarios } from "rehearsal-eval";${type}

const agent${isTyped ? ": TargetFunction" : ""} = async (messages, { session }) => {
  // Call ${hint} here${call === undefined ? "" : `, such as:\n  // ${call}`}
  // Return a text, or { text, tool_calls: […] }, so that its calls can be judged.
  throw new Error(\`connect your agent in this file (\${messages.length} messages, session \${session.id})\`);
};

await testScenarios(test, { scenarios: "scenarios/*.yaml", target: agent, attempts: 3 });
`;
}

/** The steps of the CI workflow that run this test. */
export function projectSteps({ language, runner }: Project): string {
  if (language === "python") {
    return `      - uses: actions/setup-python@v6
        with:
          python-version: "3.13"
      # Install your project here too: pip install -r requirements.txt, or pip install .
      - run: pip install rehearsal-eval pytest
      - run: pytest tests/test_conversations.py --rehearsal-output results.json --junitxml junit.xml
`;
  }
  const commands: Readonly<Record<string, string>> = {
    vitest: "npx vitest run test/conversations.test",
    jest: "NODE_OPTIONS=--experimental-vm-modules npx jest test/conversations.test",
    "node:test": "node --test test/conversations.test.*",
  };
  return `      - uses: actions/setup-node@v5
        with:
          node-version: 22
      - run: npm ci
      - run: ${commands[runner] ?? "npm test"}
`;
}
