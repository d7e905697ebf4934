import { html } from "hono/html";
import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../../contract/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/interaction-result.ts";
import { verdictOf } from "../../../formats/export/verdict.ts";
import { durationText, meanText, moneyText, scoreText } from "../../terminal/figures.ts";
import { reportStyle } from "./report-style.ts";

type Fragment = ReturnType<typeof html>;

/** One file with the whole run, for a browser without any service: no script, nothing loaded, every text escaped. */
export async function toHtml(response: EvaluationResponse): Promise<string> {
  const { test_name, model_id, endpoint, message, run_id, demo, results, timing, summary } = response;
  const scenarios = results.scenarios.toSorted((left, right) => rank(left) - rank(right));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>${test_name} on ${model_id}</title>
        <style>
          ${reportStyle}
        </style>
      </head>
      <body>
        <main>
          <h1>${test_name}</h1>
          <p>${message}</p>
          ${demo ? html`<p class="demo">A scripted demo model answered, not a language model.</p>` : ""}
          <dl>
            ${fact("Model", model_id)}${fact("Endpoint", endpoint)}${fact("Run", run_id)}${fact("Started", timing.started_at ?? "–")}
            ${fact("Time", durationText(timing.duration_ms))}${summary.cost ? fact("Cost", moneyText(summary.cost.total)) : ""}
          </dl>
          <h2>Scores</h2>
          ${scoreTable(response)}
          <h2>Scenarios</h2>
          ${scenarios.map(scenarioBlock)}
        </main>
      </body>
    </html> `;
  return String(await page);
}

const fact = (name: string, value: string): Fragment =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** What went wrong comes first. */
function rank(result: ScenarioResult): number {
  const order = { error: 0, failed: 1, unscored: 2, passed: 3 } as const;
  return order[verdictOf(result).outcome] + (result.average_scores["overall"] ?? 0) / 2;
}

function scoreTable({ summary }: EvaluationResponse): Fragment {
  const rows = Object.entries(summary.average_scores).map(
    ([name, mean]) =>
      html`<tr>
        <td>${name}</td>
        <td>${meanText(summary.score_stats[name], mean)}</td>
        <td><meter min="0" max="1" value="${mean}">${scoreText(mean)}</meter></td>
        <td>${summary.score_stats[name]?.n ?? ""}</td>
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th>Score</th>
        <th>Mean [95 %]</th>
        <th></th>
        <th>N</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function scenarioBlock(result: ScenarioResult): Fragment {
  const { scenario_id, description, attempts, score_stats, average_scores } = result;
  const { outcome, passed, counted } = verdictOf(result);
  return html`<details class="${outcome}">
    <summary>
      <strong>${scenario_id}</strong>
      <span>${outcome}</span> ${meanText(score_stats["overall"], average_scores["overall"])} · ${passed} of ${counted}
      passed
    </summary>
    ${description === "" ? "" : html`<p>${description}</p>`} ${attempts.map(attemptBlock)}
  </details>`;
}

function attemptBlock({ attempt, interactions, average_scores }: AttemptResult): Fragment {
  return html`<section>
    <h3>Attempt ${attempt}, overall ${scoreText(average_scores["overall"])}</h3>
    ${interactions.map(turnBlock)}
  </section>`;
}

function turnBlock(turn: InteractionResult): Fragment {
  const scores = Object.entries(turn.scores).map(([name, value]) => {
    const reason = turn.score_reasons[name];
    return html`<li${reason === undefined ? "" : html` title="${reason}"`}>${name} ${scoreText(value)}</li>`;
  });
  const { error } = turn;
  return html`<article>
<h4>User</h4><p>${turn.user_message}</p>
${
  turn.reference_reply === ""
    ? ""
    : html`<h4>Reference</h4>
        <p>${turn.reference_reply}</p>`
}
<h4>Reply</h4><p${error ? html` class="error"` : ""}>${turn.agent_reply}${error ? html` (${error.code}: ${error.detail})` : ""}</p>
<ul>${scores}</ul>
</article>`;
}
