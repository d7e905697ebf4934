/** What an API key may be allowed to do. `admin` includes the rest. */
export const scopes = ["evaluate", "runs:read", "runs:write", "agent", "models:read", "admin"] as const;
export type Scope = (typeof scopes)[number];
