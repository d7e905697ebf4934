export { AgentRunScreen } from "./agent-run-screen.tsx";
export { AgentRunsScreen } from "./agent-runs-screen.tsx";
export { AgentThreadScreen } from "./agent-thread-screen.tsx";
