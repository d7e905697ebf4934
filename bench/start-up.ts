import type { Bench, BenchContext, Figures } from "./bench.ts";
import { createFirstCall, type FirstCall } from "./harness/first-call.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { runEvalCommand } from "./load/evaluate-by-command.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { postRun } from "./load/post-evaluation.ts";
import { evalitePeer, promptfooPeer } from "./peers/evaluation-peers.ts";
import { runBareLoop } from "./reference/run-bare-loop.ts";

const one = { scenarios: 1, turns: 1, attempts: 1 };

/** From the start of the process to the first call of a model. */
export const startUp: Bench = {
  name: "start-up",
  title: "Start of the process to the first model call",
  async run(context) {
    const work = "first call";
    const reference = "bare loop";
    const { peers } = context;
    const subjects = [
      {
        name: reference,
        run: () => untilFirstCall(({ endpoint }) => runBareLoop(one, { endpoint, concurrency: 1, warmUp: 0 }, context)),
      },
      { name: "serve and POST /evaluate", reference, run: () => untilFirstCall((model) => serveOnce(model, context)) },
      {
        name: "rehearsal eval",
        reference,
        run: () => untilFirstCall(({ endpoint }) => runEvalCommand(one, { endpoint, concurrency: 1 }, context.scratch)),
      },
      ...(peers ? [promptfooPeer, evalitePeer] : []).map((peer) => ({
        name: peer(one, { endpoint: "", concurrency: 1 }, peers!).name,
        reference,
        run: () => untilFirstCall(({ endpoint }) => peer(one, { endpoint, concurrency: 1 }, peers!).run()),
      })),
    ];
    const rows = await interleave(work, subjects, context);
    const goal = (subject: string) =>
      goalOn(
        rows,
        { work, subject, metric: "wall_s", what: `${subject}: seconds from the start to the first call` },
        { atMost: 0.5 },
      );
    return { rows, goals: [goal("serve and POST /evaluate"), goal("rehearsal eval")] };
  },
};

/** Starts something and waits for its first call; then lets it end. */
async function untilFirstCall(start: (model: FirstCall) => Promise<unknown>): Promise<Figures> {
  await using model = await createFirstCall();
  const began = performance.now();
  await start(model);
  return { wall_s: ((await model.called) - began) / 1000 };
}

async function serveOnce({ endpoint, called }: FirstCall, { scratch }: BenchContext): Promise<void> {
  const service = await startRehearsal({ scratch });
  try {
    await postRun(service.evaluation, toEvaluationRequest(one, { endpoint }));
    await called;
  } finally {
    await service.stop();
  }
}
