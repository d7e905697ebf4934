/** How servers say that a request offers more tools than they take: OpenAI, Groq, Gemini, Copilot, gateways. In lower case. */
const tooMany = [
  /'tools'\s*:.{0,40}(?:too long|maximum number)/,
  /\bat most \d+ (?:function declarations|functions|tools)\b/,
  /\bmore than \d+ (?:functions|tools)\b/,
  /\bnumber of tools exceeds\b/,
  /\btoo many (?:functions|tools)\b/,
];
const limit = /\b(?:maximum length|number of items is|at most|more than|exceeds) (\d{1,5})\b/;

/** What is wrong with the number of tools, by an error's message. Null: that is not what it is about. */
export function tooManyTools(message: string, host: string): string | null {
  if (!tooMany.some((pattern) => pattern.test(message))) return null;
  const [, most] = limit.exec(message) ?? [];
  const taken = most === undefined ? "fewer tools" : `at most ${most} tools`;
  return `${host} takes ${taken} in one request: allow those that are needed with x-agent-tools.`;
}
