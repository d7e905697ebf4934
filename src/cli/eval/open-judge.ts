import { readyJudges, type ReadyJudgeName } from "../../scoring/judges/ready-judges.ts";
import type { Judge } from "../../evaluation/judges/ask-judge.ts";
import { CliError } from "../terminal/cli-error.ts";

export interface JudgeAddress {
  readonly config?: string | undefined;
  readonly envFile?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly protocol?: "openai-chat" | "openai-responses" | "anthropic-messages" | undefined;
  readonly votes?: number | undefined;
}

interface OpenJudge extends AsyncDisposable {
  readonly judge: Judge;
  readonly model: string;
}

/** The model that judges: that of the options, of the configuration's `judge`, or of the JUDGE_* variables. */
export async function openJudge({ config: named, envFile, ...asked }: JudgeAddress): Promise<OpenJudge> {
  const [{ loadConfig }, { loadEnvironment, loadSettings, unreachable }] = await Promise.all([
    import("../config/load-config.ts"),
    import("../config/load-settings.ts"),
  ]);
  loadEnvironment(envFile);
  const { config } = await loadConfig(named);
  const { settings } = await loadSettings({ config: named, envFile, overrides: unreachable });
  const endpoint = asked.endpoint ?? config.judge?.endpoint ?? settings.judge?.endpoint;
  const model = asked.model ?? config.judge?.model_id ?? settings.judge?.model;
  const protocol = asked.protocol ?? config.judge?.protocol ?? "openai-chat";
  if (endpoint === undefined || model === undefined) {
    throw new CliError(
      `no judge model is known: name ${endpoint === undefined ? "--endpoint, such as http://127.0.0.1:8080/v1, and " : ""}--model, or set judge in rehearsal.yaml`,
    );
  }
  const [{ createClients }, { createChatModel }] = await Promise.all([
    import("../composition/clients.ts"),
    import("../../models/protocols/create-chat-model.ts"),
  ]);
  const clients = createClients(settings, { isOwnAddress: () => false, hubProviders: [] });
  return {
    model,
    judge: {
      model: createChatModel({ outbound: clients.evaluation, protocol, endpoint, modelId: model }),
      votes: asked.votes ?? config.judge?.votes ?? 1,
      audited: false,
    },
    [Symbol.asyncDispose]: () => clients[Symbol.asyncDispose](),
  };
}

export function isReadyJudge(name: string): name is ReadyJudgeName {
  return readyJudges.some((judge) => judge.name === name);
}
