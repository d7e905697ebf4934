/** What providers call it when a filter refuses what was said: Azure, OpenAI, Alibaba. */
const codes = new Set([
  "content_filter",
  "content_policy_violation",
  "moderation_blocked",
  "data_inspection_failed",
  "DataInspectionFailed",
]);

/** And what they say: Azure, OpenAI, OpenRouter, DeepSeek, Alibaba. */
const words =
  /content management policy|content[_ ](?:filter|policy)|\bflagged\b|content exists risk|inappropriate content|violat\w+ [^.]{0,40}usage polic/;

/** Whether an error is about what was said, so that no other form of the request would do better. The message is in lower case. */
export function refusesContent({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return codes.has(code) || words.test(message);
}
