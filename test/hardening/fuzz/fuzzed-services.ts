import { startFakeProvider, type FakeProvider } from "../../support/fake-provider.ts";
import { send } from "../../support/http.ts";
import { startServe, type ServeProcess } from "../support/serve-process.ts";

/** Both services in a process of their own, whose memory is measured apart, with the only provider they may call. */
interface FuzzedServices extends ServeProcess {
  readonly provider: FakeProvider;
  /** A finished run, and the id to read it by. */
  startRun(): Promise<string>;
}

export async function startFuzzedServices(): Promise<FuzzedServices> {
  const provider = await startFakeProvider();
  const services = await startServe(
    {
      LOG_LEVEL: "silent",
      EVAL_ENDPOINT_POLICY: "allowlist",
      EVAL_ENDPOINT_ALLOW: provider.origin,
      HUB_BASE_URL: provider.url,
      STUDIO_BASE_URL: provider.url,
      JUDGE_ENDPOINT: provider.url,
      JUDGE_MODEL: "judge",
      LABELLER_ENDPOINT: provider.url,
      LABELLER_MODEL: "labeller",
    },
    {
      limits: {
        upstream_retry_base_ms: 1,
        // A busy machine must not make the service hang up on a client that comes back late.
        http_keepalive_ms: 120_000,
        http_request_timeout_ms: 120_000,
        max_calls_per_run: 8,
      },
    },
  );
  const body = {
    test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi", reference_reply: "Hello" }] },
    endpoint: provider.url,
    model_id: "m",
  };

  return {
    ...services,
    provider,
    async startRun() {
      return ((await send(`${services.evaluation}/evaluate`, { body })).body as { run_id: string }).run_id;
    },
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await provider.close();
    },
  };
}
