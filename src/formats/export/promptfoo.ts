import { stringify } from "yaml";
import { extrasKey, turnExtras } from "../extras.ts";
import { toAssertion } from "./promptfoo-assertion.ts";
import type { ExportResult, FileInteraction, FileScenario, Note } from "../scenario-file.ts";
import { prettyJson } from "./json-lines.ts";

/** A chat prompt that repeats the conversation so far, the way promptfoo documents it. */
const prompt = `[
  {% if system_prompt %}{"role": "system", "content": {{ system_prompt | dump }}},{% endif %}
  {% for completion in _conversation %}
  {"role": "user", "content": {{ completion.input | dump }}},
  {"role": "assistant", "content": {{ completion.output | dump }}},
  {% endfor %}
  {"role": "user", "content": {{ user_message | dump }}}
]
`;

/**
 * A promptfoo config: a test per turn, `conversationId` keeps a scenario together, reference replies are `similar` assertions, checks the
 * assertions that judge the same.
 */
export function exportPromptfoo(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const notes: Note[] = [];
  const tests = scenarios.flatMap((scenario) =>
    scenario.interactions.map((interaction, index) => toTest({ scenario, interaction, index, notes })),
  );
  const config = {
    description: "Scenarios exported from Rehearsal",
    prompts: [prompt],
    // The echo provider is there so that the file runs as it is; put your own target in its place.
    providers: ["echo"],
    tests,
  };
  const text =
    ending === "json" ? prettyJson(config) : stringify(config, { lineWidth: 0, aliasDuplicateObjects: false });
  return { text, notes };
}

interface TestSource {
  readonly scenario: FileScenario;
  readonly interaction: FileInteraction;
  readonly index: number;
  readonly notes: Note[];
}

function toTest({ scenario, interaction, index, notes }: TestSource): object {
  const { user_message, reference_reply, references = [], checks = [] } = interaction;
  const { description, system_prompt, tags } = scenario;
  const expected = [reference_reply, ...references].map(literal);
  const asserts =
    reference_reply === "" ? [] : [{ type: "similar", value: expected.length === 1 ? expected[0] : expected }];
  const checked = checks.flatMap((check) => {
    const assertion = toAssertion(check, literal);
    if (!assertion)
      notes.push({
        kind: "changed",
        message: `${scenario.id}, turn ${index + 1}: promptfoo has no assertion like the check ${check.type}; it is kept for the way back`,
      });
    return assertion ?? [];
  });
  const whole = index === 0 && { ...(description !== "" && { description }), ...(tags && { tags }) };
  return {
    description: `${scenario.id}, turn ${index + 1}`,
    vars: {
      user_message: literal(user_message),
      ...(system_prompt !== undefined && { system_prompt: literal(system_prompt) }),
    },
    ...(asserts.length + checked.length > 0 && { assert: [...asserts, ...checked] }),
    metadata: { conversationId: scenario.id, [extrasKey]: { ...whole, turn: turnExtras(interaction) } },
  };
}

/**
 * promptfoo fills templates and reads files in every text it is given, and takes off a last line break: what it would look for is
 * written as a value in a template of its own. A raw block does not do: promptfoo looks for variables within it too, and sends the
 * block as it stands where the test has none of their names.
 */
function literal(text: string): string {
  const begin = /^(file|package|https?):\/\//.test(text) ? value("") : "";
  const end = text.endsWith("\n") ? value("") : "";
  return `${begin}${text.replace(/\{(?=[{%#])|#(?=\})/g, value)}${end}`;
}

const value = (text: string): string => `{{ "${text}" }}`;
