/** The messages API refuses every request, also for its list of models, that does not say which version it means. */
export const anthropicHeaders: Readonly<Record<string, string>> = { "anthropic-version": "2023-06-01" };
