const speakers = { Human: "user", Assistant: "assistant" } as const;

/** The messages of a conversation in one text, as Anthropic's preference data have it: `\n\nHuman: …\n\nAssistant: …`. Undefined for any other. */
export function transcriptMessages(value: unknown): object[] | undefined {
  if (typeof value !== "string" || !/^\s*Human: /.test(value)) return undefined;
  return value
    .trim()
    .split(/\n\n(?=(?:Human|Assistant):)/)
    .map((said) => {
      const colon = said.indexOf(":");
      return { role: speakers[said.slice(0, colon) as keyof typeof speakers], content: said.slice(colon + 1).trim() };
    });
}
