"""One method for each route of the evaluation service, for callers with and without an event loop.

Generated from the service's OpenAPI document by ``npm run docs:reference``; do not edit.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Dict, List, Literal

from . import evaluation_types as t
from ._transport import AsyncTransport, ServerEvent, Transport


class EvaluationOperations(Transport):
    def evaluate(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> t.EvaluationResponse:
        """Run scenarios against a model endpoint and score every reply

        Responds when the run has ended. With `Prefer: respond-async` it responds with 202 and the run's address at
        once; with `Accept: text/event-stream` it sends events during the run and the result at the end. A model
        failure is a result (200, `agent_reply` is `Request failed`), not an error of this route. Disconnecting does
        not cancel the run: `Location` has its address in every response.
        """
        answer: t.EvaluationResponse = self._ask("POST", "/evaluate", query={}, headers={"idempotency-key": idempotency_key}, body=body)
        return answer

    def evaluate_events(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> Iterator[ServerEvent]:
        """Run scenarios against a model endpoint and score every reply

        Responds when the run has ended. With `Prefer: respond-async` it responds with 202 and the run's address at
        once; with `Accept: text/event-stream` it sends events during the run and the result at the end. A model
        failure is a result (200, `agent_reply` is `Request failed`), not an error of this route. Disconnecting does
        not cancel the run: `Location` has its address in every response.
        """
        return self._stream("POST", "/evaluate", query={}, headers={"idempotency-key": idempotency_key}, body=body)

    def list_runs(self, *, state: t.RunState | None = None, test_name: str | None = None, model_id: str | None = None, search: str | None = None, search_model_ids: str | None = None, tag: str | None = None, label: str | None = None, experiment: str | None = None, score: str | None = None, min_score: float | None = None, max_score: float | None = None, created_from: str | None = None, created_to: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.RunList:
        """List runs, newest first"""
        answer: t.RunList = self._ask("GET", "/runs", query={"state": state, "test_name": test_name, "model_id": model_id, "search": search, "search_model_ids": search_model_ids, "tag": tag, "label": label, "experiment": experiment, "score": score, "min_score": min_score, "max_score": max_score, "created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor}, headers={}, body=None)
        return answer

    def get_run(self, run_id: str) -> t.Run:
        """Get the state, progress and summary of one run"""
        answer: t.Run = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    def get_run_request(self, run_id: str) -> t.RepeatedRequest:
        """Get the request that repeats a run

        A body of POST /evaluate, scenarios included. Default values and the settings of the operator's judge and
        labeller are left out. Keys in the query of an endpoint are included. When `rehearsal eval` tested the agent
        in its own process, the endpoint is the agent backend of this service.
        """
        answer: t.RepeatedRequest = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/request", query={}, headers={}, body=None)
        return answer

    def get_run_results(self, run_id: str, *, scenario_id: str | None = None) -> t.EvaluationResponse:
        """Get the results of a run, even while it is running

        The response body of POST /evaluate, with the results so far when the run has not ended. Streamed.
        """
        answer: t.EvaluationResponse = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/results", query={"scenario_id": scenario_id}, headers={}, body=None)
        return answer

    def list_run_scenarios(self, run_id: str, *, status: t.ScenarioStatus | None = None, search: str | None = None, sort: Literal["scenario", "-scenario", "passed", "-passed", "overall", "-overall"] | None = None, limit: int | None = None, offset: int | None = None, around: str | None = None) -> t.RunScenarioList:
        """List the scenarios of a run, failures first

        Reads no turns, so that it is fast for runs of a hundred thousand scenarios. `/results?scenario_id=` has the
        turns.
        """
        answer: t.RunScenarioList = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/scenarios", query={"status": status, "search": search, "sort": sort, "limit": limit, "offset": offset, "around": around}, headers={}, body=None)
        return answer

    def freeze_conversation(self, run_id: str, body: t.FreezeRequest) -> t.FrozenConversation:
        """Make a scripted scenario of a conversation

        The messages that the user of an attempt sent become turns of a script, for example those of a simulated
        user. World, expectations and rules stay. `replay_users` of POST /evaluate uses the messages of all attempts
        without a copy.
        """
        answer: t.FrozenConversation = self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/freeze", query={}, headers={}, body=body)
        return answer

    def get_run_events(self, run_id: str, *, last_event_id: str | None = None) -> Iterator[ServerEvent]:
        """Follow a run live

        Server-sent events: `interaction` for each stored turn, `progress`, and finally `end`. `Last-Event-ID`
        resumes after that event.
        """
        return self._stream("GET", f"/runs/{self._segment(run_id, slashes=False)}/events", query={}, headers={"last-event-id": last_event_id}, body=None)

    def cancel_run(self, run_id: str) -> t.Run:
        """Cancel a run and keep its results so far"""
        answer: t.Run = self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/cancel", query={}, headers={}, body=None)
        return answer

    def change_run(self, run_id: str, body: t.RunChanges) -> t.Run:
        """Rename a run or replace its tags"""
        answer: t.Run = self._ask("PATCH", f"/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=body)
        return answer

    def delete_run(self, run_id: str) -> None:
        """Delete a run and all its data

        A run that has not ended is cancelled first.
        """
        self._ask("DELETE", f"/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=None)

    def get_health(self) -> t.Health:
        """Check that the process is alive"""
        answer: t.Health = self._ask("GET", "/healthz", query={}, headers={}, body=None)
        return answer

    def get_readiness(self) -> t.Health:
        """Check that the service accepts runs"""
        answer: t.Health = self._ask("GET", "/readyz", query={}, headers={}, body=None)
        return answer

    def get_metrics(self) -> str:
        """Get Prometheus metrics: runs by state, attempts that wait and run, workers"""
        answer: str = self._ask("GET", "/metrics", query={}, headers={}, body=None)
        return answer

    def compare_runs(self, *, baseline: str, candidate: str, margin: str | None = None) -> t.RunComparison:
        """Compare two runs and test whether the difference is significant

        Pairs the runs by scenario and interaction, clusters by scenario and corrects for the number of scores.
        Gives the reason when runs cannot be compared.
        """
        answer: t.RunComparison = self._ask("GET", "/compare", query={"baseline": baseline, "candidate": candidate, "margin": margin}, headers={}, body=None)
        return answer

    def judge_pairs(self, body: t.PairwiseRequest) -> t.PairwiseComparison:
        """Let a judge choose between the replies of two runs

        The judge sees every pair in both orders; a choice that changes with the order is a tie. Uses the first
        attempt of each scenario and the turns that both runs share. Calls the judge, never a model under test.
        """
        answer: t.PairwiseComparison = self._ask("POST", "/compare", query={}, headers={}, body=body)
        return answer

    def rank_runs(self, *, runs: str, score: str | None = None) -> t.RunRanking:
        """Rank several runs and test whether the differences are significant

        Helps to choose a model: ranks runs of the same scenarios by one score. Compares each pair of runs over the
        turns that all runs share, paired by scenario and corrected for the number of comparisons. Gives the reason
        when runs cannot be ranked.
        """
        answer: t.RunRanking = self._ask("GET", "/rank", query={"runs": runs, "score": score}, headers={}, body=None)
        return answer

    def measure_noise(self, *, runs: str) -> t.NoiseFloors:
        """Measure how much scores vary between runs of the same setup"""
        answer: t.NoiseFloors = self._ask("GET", "/noise", query={"runs": runs}, headers={}, body=None)
        return answer

    def estimate_run(self, body: t.EvaluationRequest) -> t.RunEstimate:
        """Estimate the calls, tokens, cost and time of a run

        Accepts the body of POST /evaluate. Calls no model and stores nothing.
        """
        answer: t.RunEstimate = self._ask("POST", "/estimate", query={}, headers={}, body=body)
        return answer

    def audit_judge(self, body: t.JudgeAuditRequest) -> t.JudgeAudit:
        """Measure a judge against the choices of people"""
        answer: t.JudgeAudit = self._ask("POST", "/judges/audit", query={}, headers={}, body=body)
        return answer

    def get_experiment(self, experiment_id: str, *, score: str | None = None, limit: int | None = None) -> t.Experiment:
        """Show the variants of an experiment side by side

        A table of scenarios and variants with their replies, a ranking of the variants, the effects of a grid, and
        which replies were taken from earlier runs. `experiment_id` may also be the id of one of its runs.
        """
        answer: t.Experiment = self._ask("GET", f"/experiments/{self._segment(experiment_id, slashes=False)}", query={"score": score, "limit": limit}, headers={}, body=None)
        return answer

    def get_run_sequence(self, run_id: str) -> t.RunSequence:
        """Follow a run that stops when it is decided

        The comparison of a run with `attempts` {"until": "decided"}, as far as it has come: the interval after each
        batch, the verdict, and why it stopped. Both sides of a comparison of two models answer alike.
        """
        answer: t.RunSequence = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/sequence", query={}, headers={}, body=None)
        return answer

    def get_score_agreement(self, run_id: str) -> t.ScoreAgreements:
        """Correlate every score with the verdicts of people on the run

        Shows which score orders replies as people do, with an interval over scenarios.
        """
        answer: t.ScoreAgreements = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/score-agreement", query={}, headers={}, body=None)
        return answer

    def correlate_verdicts(self, run_id: str, body: t.ScoreAgreementRequest) -> t.ScoreAgreements:
        """Correlate every score with given verdicts of people

        Nothing is stored. Several verdicts on one reply count as their mean.
        """
        answer: t.ScoreAgreements = self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/score-agreement", query={}, headers={}, body=body)
        return answer

    def rescore_run(self, run_id: str, body: t.RescoreRequest | None = None) -> t.Run:
        """Score a run again from its stored replies

        Never calls the model under test. The given settings and expectations replace those of the run and are
        stored with it. An API key also needs the scope `evaluate` when the request names a judge or a labeller, or
        sets `ask_models`. When the client disconnects, rescoring stops only if it calls models; finished turns keep
        their new scores, and `summary.rescored` reports it. Unknown fields of the request are ignored and listed in
        `warnings` of the response.
        """
        answer: t.Run = self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/rescore", query={}, headers={}, body=body)
        return answer

    def export_run(self, run_id: str, *, format: Literal["json", "jsonl", "csv", "junit", "markdown", "html", "sft", "dpo"] | None = None, model_name: str | None = None) -> t.EvaluationResponse | str:
        """Export a run as a file

        `format` is `json` (default, the body of POST /evaluate), `jsonl`, `sft` and `dpo` (JSON lines), `csv`,
        `junit` (XML), `markdown` or `html` (a page that needs no server). Only runs that have ended can be
        exported, because a file looks final. With history `both`, only `json` and `html` contain the replies with
        reference history.
        """
        answer: t.EvaluationResponse | str = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/export", query={"format": format, "model_name": model_name}, headers={}, body=None)
        return answer

    def list_verdicts(self, run_id: str, *, format: Literal["json", "jsonl", "csv"] | None = None, question: str | None = None, rater: str | None = None) -> t.VerdictList | str:
        """List or export people's verdicts on a run

        `format` is `json` (default), `jsonl` or `csv`. POST to the same path reads the files back.
        """
        answer: t.VerdictList | str = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/verdicts", query={"format": format, "question": question, "rater": rater}, headers={}, body=None)
        return answer

    def store_verdicts(self, run_id: str, body: t.VerdictsRequest) -> t.StoredVerdicts:
        """Store people's verdicts on replies of a run

        Takes a list, or a file (CSV or JSON lines) in `text`. Stores all verdicts or none. A person's earlier
        verdict on the same reply and question is replaced; `choice: null` withdraws it. An `adjudication` decides a
        conflict and counts instead of the others. An API key stores verdicts of its own rater only; with the scope
        `verdicts:adjudicate` also those of others, and adjudications.
        """
        answer: t.StoredVerdicts = self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/verdicts", query={}, headers={}, body=body)
        return answer

    def review_run(self, run_id: str, *, question: str | None = None, against: str | None = None, rater: str | None = None, order: Literal["random", "stratified", "disagreement"] | None = None, raters: int | None = None, limit: int | None = None) -> t.ReviewQueue:
        """Get the next replies for a person to judge

        Holds no score and no verdict of others. The people who gave a verdict in the last ten minutes share the
        replies, `raters` people for each; two who start at the same moment may get the same one, which then has one
        verdict more.
        """
        answer: t.ReviewQueue = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/review", query={"question": question, "against": against, "rater": rater, "order": order, "raters": raters, "limit": limit}, headers={}, body=None)
        return answer

    def measure_agreement(self, run_id: str, *, question: str | None = None, against: str | None = None) -> t.Agreement:
        """Measure how far people agree with each other and with the judge"""
        answer: t.Agreement = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/agreement", query={"question": question, "against": against}, headers={}, body=None)
        return answer

    def correct_scores(self, run_id: str) -> t.Corrections:
        """Correct the judge's scores by people's verdicts

        Estimates the mean that people would give (prediction-powered inference). Needs verdicts on at least 20
        replies that were chosen at random. Calls no model.
        """
        answer: t.Corrections = self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/corrections", query={}, headers={}, body=None)
        return answer

    def audit_run_judge(self, run_id: str, body: t.RunAuditRequest | None = None) -> t.JudgeAudit:
        """Measure the run's judge against people's verdicts

        Like POST /judges/audit, with the stored verdicts on this run. Calls the judge, never the model under test.
        """
        answer: t.JudgeAudit = self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/audit", query={}, headers={}, body=body)
        return answer

    def list_scenarios(self, *, id: str | None = None, search: str | None = None, tag: str | None = None, limit: int | None = None, cursor: str | None = None, format: Literal["json", "jsonl", "yaml", "csv", "openai-chat", "sharegpt", "promptfoo", "openai-evals"] | None = None) -> t.LibraryList | t.ScenarioBody | List[Dict[str, Any]] | str:
        """List the library, or export it as a file"""
        answer: t.LibraryList | t.ScenarioBody | List[Dict[str, Any]] | str = self._ask("GET", "/scenarios", query={"id": id, "search": search, "tag": tag, "limit": limit, "cursor": cursor, "format": format}, headers={}, body=None)
        return answer

    def keep_scenarios(self, body: t.ScenarioBodyInput) -> t.KeptScenarios:
        """Store scenarios; unchanged content keeps its version

        Stores a hundred scenarios per transaction. After a failure, send the request again: stored scenarios stay
        unchanged.
        """
        answer: t.KeptScenarios = self._ask("POST", "/scenarios", query={}, headers={}, body=body)
        return answer

    def import_scenarios(self, body: t.ImportRequest) -> t.ImportAnswer:
        """Import scenarios from another tool's file

        Reports by line what it could not convert. `dry_run` stores nothing.
        """
        answer: t.ImportAnswer = self._ask("POST", "/scenarios/import", query={}, headers={}, body=body)
        return answer

    def remove_demo_scenarios(self) -> None:
        """Remove the examples of a new library"""
        self._ask("DELETE", "/scenarios", query={}, headers={}, body=None)

    def get_scenario(self, scenario_id: str, *, version: str | None = None) -> t.LibraryScenario:
        """Get one scenario, in its newest or a given version"""
        answer: t.LibraryScenario = self._ask("GET", f"/scenarios/{self._segment(scenario_id, slashes=False)}", query={"version": version}, headers={}, body=None)
        return answer

    def list_scenario_versions(self, scenario_id: str) -> t.ScenarioVersions:
        """List the versions of a scenario, newest first"""
        answer: t.ScenarioVersions = self._ask("GET", f"/scenarios/{self._segment(scenario_id, slashes=False)}/versions", query={}, headers={}, body=None)
        return answer

    def remove_scenario(self, scenario_id: str) -> None:
        """Remove a scenario with all its versions"""
        self._ask("DELETE", f"/scenarios/{self._segment(scenario_id, slashes=False)}", query={}, headers={}, body=None)


class AsyncEvaluationOperations(AsyncTransport):
    async def evaluate(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> t.EvaluationResponse:
        """Run scenarios against a model endpoint and score every reply

        Responds when the run has ended. With `Prefer: respond-async` it responds with 202 and the run's address at
        once; with `Accept: text/event-stream` it sends events during the run and the result at the end. A model
        failure is a result (200, `agent_reply` is `Request failed`), not an error of this route. Disconnecting does
        not cancel the run: `Location` has its address in every response.
        """
        answer: t.EvaluationResponse = await self._ask("POST", "/evaluate", query={}, headers={"idempotency-key": idempotency_key}, body=body)
        return answer

    def evaluate_events(self, body: t.EvaluationRequest, *, idempotency_key: str | None = None) -> AsyncIterator[ServerEvent]:
        """Run scenarios against a model endpoint and score every reply

        Responds when the run has ended. With `Prefer: respond-async` it responds with 202 and the run's address at
        once; with `Accept: text/event-stream` it sends events during the run and the result at the end. A model
        failure is a result (200, `agent_reply` is `Request failed`), not an error of this route. Disconnecting does
        not cancel the run: `Location` has its address in every response.
        """
        return self._stream("POST", "/evaluate", query={}, headers={"idempotency-key": idempotency_key}, body=body)

    async def list_runs(self, *, state: t.RunState | None = None, test_name: str | None = None, model_id: str | None = None, search: str | None = None, search_model_ids: str | None = None, tag: str | None = None, label: str | None = None, experiment: str | None = None, score: str | None = None, min_score: float | None = None, max_score: float | None = None, created_from: str | None = None, created_to: str | None = None, limit: int | None = None, cursor: str | None = None) -> t.RunList:
        """List runs, newest first"""
        answer: t.RunList = await self._ask("GET", "/runs", query={"state": state, "test_name": test_name, "model_id": model_id, "search": search, "search_model_ids": search_model_ids, "tag": tag, "label": label, "experiment": experiment, "score": score, "min_score": min_score, "max_score": max_score, "created_from": created_from, "created_to": created_to, "limit": limit, "cursor": cursor}, headers={}, body=None)
        return answer

    async def get_run(self, run_id: str) -> t.Run:
        """Get the state, progress and summary of one run"""
        answer: t.Run = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    async def get_run_request(self, run_id: str) -> t.RepeatedRequest:
        """Get the request that repeats a run

        A body of POST /evaluate, scenarios included. Default values and the settings of the operator's judge and
        labeller are left out. Keys in the query of an endpoint are included. When `rehearsal eval` tested the agent
        in its own process, the endpoint is the agent backend of this service.
        """
        answer: t.RepeatedRequest = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/request", query={}, headers={}, body=None)
        return answer

    async def get_run_results(self, run_id: str, *, scenario_id: str | None = None) -> t.EvaluationResponse:
        """Get the results of a run, even while it is running

        The response body of POST /evaluate, with the results so far when the run has not ended. Streamed.
        """
        answer: t.EvaluationResponse = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/results", query={"scenario_id": scenario_id}, headers={}, body=None)
        return answer

    async def list_run_scenarios(self, run_id: str, *, status: t.ScenarioStatus | None = None, search: str | None = None, sort: Literal["scenario", "-scenario", "passed", "-passed", "overall", "-overall"] | None = None, limit: int | None = None, offset: int | None = None, around: str | None = None) -> t.RunScenarioList:
        """List the scenarios of a run, failures first

        Reads no turns, so that it is fast for runs of a hundred thousand scenarios. `/results?scenario_id=` has the
        turns.
        """
        answer: t.RunScenarioList = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/scenarios", query={"status": status, "search": search, "sort": sort, "limit": limit, "offset": offset, "around": around}, headers={}, body=None)
        return answer

    async def freeze_conversation(self, run_id: str, body: t.FreezeRequest) -> t.FrozenConversation:
        """Make a scripted scenario of a conversation

        The messages that the user of an attempt sent become turns of a script, for example those of a simulated
        user. World, expectations and rules stay. `replay_users` of POST /evaluate uses the messages of all attempts
        without a copy.
        """
        answer: t.FrozenConversation = await self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/freeze", query={}, headers={}, body=body)
        return answer

    def get_run_events(self, run_id: str, *, last_event_id: str | None = None) -> AsyncIterator[ServerEvent]:
        """Follow a run live

        Server-sent events: `interaction` for each stored turn, `progress`, and finally `end`. `Last-Event-ID`
        resumes after that event.
        """
        return self._stream("GET", f"/runs/{self._segment(run_id, slashes=False)}/events", query={}, headers={"last-event-id": last_event_id}, body=None)

    async def cancel_run(self, run_id: str) -> t.Run:
        """Cancel a run and keep its results so far"""
        answer: t.Run = await self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/cancel", query={}, headers={}, body=None)
        return answer

    async def change_run(self, run_id: str, body: t.RunChanges) -> t.Run:
        """Rename a run or replace its tags"""
        answer: t.Run = await self._ask("PATCH", f"/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=body)
        return answer

    async def delete_run(self, run_id: str) -> None:
        """Delete a run and all its data

        A run that has not ended is cancelled first.
        """
        await self._ask("DELETE", f"/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=None)

    async def get_health(self) -> t.Health:
        """Check that the process is alive"""
        answer: t.Health = await self._ask("GET", "/healthz", query={}, headers={}, body=None)
        return answer

    async def get_readiness(self) -> t.Health:
        """Check that the service accepts runs"""
        answer: t.Health = await self._ask("GET", "/readyz", query={}, headers={}, body=None)
        return answer

    async def get_metrics(self) -> str:
        """Get Prometheus metrics: runs by state, attempts that wait and run, workers"""
        answer: str = await self._ask("GET", "/metrics", query={}, headers={}, body=None)
        return answer

    async def compare_runs(self, *, baseline: str, candidate: str, margin: str | None = None) -> t.RunComparison:
        """Compare two runs and test whether the difference is significant

        Pairs the runs by scenario and interaction, clusters by scenario and corrects for the number of scores.
        Gives the reason when runs cannot be compared.
        """
        answer: t.RunComparison = await self._ask("GET", "/compare", query={"baseline": baseline, "candidate": candidate, "margin": margin}, headers={}, body=None)
        return answer

    async def judge_pairs(self, body: t.PairwiseRequest) -> t.PairwiseComparison:
        """Let a judge choose between the replies of two runs

        The judge sees every pair in both orders; a choice that changes with the order is a tie. Uses the first
        attempt of each scenario and the turns that both runs share. Calls the judge, never a model under test.
        """
        answer: t.PairwiseComparison = await self._ask("POST", "/compare", query={}, headers={}, body=body)
        return answer

    async def rank_runs(self, *, runs: str, score: str | None = None) -> t.RunRanking:
        """Rank several runs and test whether the differences are significant

        Helps to choose a model: ranks runs of the same scenarios by one score. Compares each pair of runs over the
        turns that all runs share, paired by scenario and corrected for the number of comparisons. Gives the reason
        when runs cannot be ranked.
        """
        answer: t.RunRanking = await self._ask("GET", "/rank", query={"runs": runs, "score": score}, headers={}, body=None)
        return answer

    async def measure_noise(self, *, runs: str) -> t.NoiseFloors:
        """Measure how much scores vary between runs of the same setup"""
        answer: t.NoiseFloors = await self._ask("GET", "/noise", query={"runs": runs}, headers={}, body=None)
        return answer

    async def estimate_run(self, body: t.EvaluationRequest) -> t.RunEstimate:
        """Estimate the calls, tokens, cost and time of a run

        Accepts the body of POST /evaluate. Calls no model and stores nothing.
        """
        answer: t.RunEstimate = await self._ask("POST", "/estimate", query={}, headers={}, body=body)
        return answer

    async def audit_judge(self, body: t.JudgeAuditRequest) -> t.JudgeAudit:
        """Measure a judge against the choices of people"""
        answer: t.JudgeAudit = await self._ask("POST", "/judges/audit", query={}, headers={}, body=body)
        return answer

    async def get_experiment(self, experiment_id: str, *, score: str | None = None, limit: int | None = None) -> t.Experiment:
        """Show the variants of an experiment side by side

        A table of scenarios and variants with their replies, a ranking of the variants, the effects of a grid, and
        which replies were taken from earlier runs. `experiment_id` may also be the id of one of its runs.
        """
        answer: t.Experiment = await self._ask("GET", f"/experiments/{self._segment(experiment_id, slashes=False)}", query={"score": score, "limit": limit}, headers={}, body=None)
        return answer

    async def get_run_sequence(self, run_id: str) -> t.RunSequence:
        """Follow a run that stops when it is decided

        The comparison of a run with `attempts` {"until": "decided"}, as far as it has come: the interval after each
        batch, the verdict, and why it stopped. Both sides of a comparison of two models answer alike.
        """
        answer: t.RunSequence = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/sequence", query={}, headers={}, body=None)
        return answer

    async def get_score_agreement(self, run_id: str) -> t.ScoreAgreements:
        """Correlate every score with the verdicts of people on the run

        Shows which score orders replies as people do, with an interval over scenarios.
        """
        answer: t.ScoreAgreements = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/score-agreement", query={}, headers={}, body=None)
        return answer

    async def correlate_verdicts(self, run_id: str, body: t.ScoreAgreementRequest) -> t.ScoreAgreements:
        """Correlate every score with given verdicts of people

        Nothing is stored. Several verdicts on one reply count as their mean.
        """
        answer: t.ScoreAgreements = await self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/score-agreement", query={}, headers={}, body=body)
        return answer

    async def rescore_run(self, run_id: str, body: t.RescoreRequest | None = None) -> t.Run:
        """Score a run again from its stored replies

        Never calls the model under test. The given settings and expectations replace those of the run and are
        stored with it. An API key also needs the scope `evaluate` when the request names a judge or a labeller, or
        sets `ask_models`. When the client disconnects, rescoring stops only if it calls models; finished turns keep
        their new scores, and `summary.rescored` reports it. Unknown fields of the request are ignored and listed in
        `warnings` of the response.
        """
        answer: t.Run = await self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/rescore", query={}, headers={}, body=body)
        return answer

    async def export_run(self, run_id: str, *, format: Literal["json", "jsonl", "csv", "junit", "markdown", "html", "sft", "dpo"] | None = None, model_name: str | None = None) -> t.EvaluationResponse | str:
        """Export a run as a file

        `format` is `json` (default, the body of POST /evaluate), `jsonl`, `sft` and `dpo` (JSON lines), `csv`,
        `junit` (XML), `markdown` or `html` (a page that needs no server). Only runs that have ended can be
        exported, because a file looks final. With history `both`, only `json` and `html` contain the replies with
        reference history.
        """
        answer: t.EvaluationResponse | str = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/export", query={"format": format, "model_name": model_name}, headers={}, body=None)
        return answer

    async def list_verdicts(self, run_id: str, *, format: Literal["json", "jsonl", "csv"] | None = None, question: str | None = None, rater: str | None = None) -> t.VerdictList | str:
        """List or export people's verdicts on a run

        `format` is `json` (default), `jsonl` or `csv`. POST to the same path reads the files back.
        """
        answer: t.VerdictList | str = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/verdicts", query={"format": format, "question": question, "rater": rater}, headers={}, body=None)
        return answer

    async def store_verdicts(self, run_id: str, body: t.VerdictsRequest) -> t.StoredVerdicts:
        """Store people's verdicts on replies of a run

        Takes a list, or a file (CSV or JSON lines) in `text`. Stores all verdicts or none. A person's earlier
        verdict on the same reply and question is replaced; `choice: null` withdraws it. An `adjudication` decides a
        conflict and counts instead of the others. An API key stores verdicts of its own rater only; with the scope
        `verdicts:adjudicate` also those of others, and adjudications.
        """
        answer: t.StoredVerdicts = await self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/verdicts", query={}, headers={}, body=body)
        return answer

    async def review_run(self, run_id: str, *, question: str | None = None, against: str | None = None, rater: str | None = None, order: Literal["random", "stratified", "disagreement"] | None = None, raters: int | None = None, limit: int | None = None) -> t.ReviewQueue:
        """Get the next replies for a person to judge

        Holds no score and no verdict of others. The people who gave a verdict in the last ten minutes share the
        replies, `raters` people for each; two who start at the same moment may get the same one, which then has one
        verdict more.
        """
        answer: t.ReviewQueue = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/review", query={"question": question, "against": against, "rater": rater, "order": order, "raters": raters, "limit": limit}, headers={}, body=None)
        return answer

    async def measure_agreement(self, run_id: str, *, question: str | None = None, against: str | None = None) -> t.Agreement:
        """Measure how far people agree with each other and with the judge"""
        answer: t.Agreement = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/agreement", query={"question": question, "against": against}, headers={}, body=None)
        return answer

    async def correct_scores(self, run_id: str) -> t.Corrections:
        """Correct the judge's scores by people's verdicts

        Estimates the mean that people would give (prediction-powered inference). Needs verdicts on at least 20
        replies that were chosen at random. Calls no model.
        """
        answer: t.Corrections = await self._ask("GET", f"/runs/{self._segment(run_id, slashes=False)}/corrections", query={}, headers={}, body=None)
        return answer

    async def audit_run_judge(self, run_id: str, body: t.RunAuditRequest | None = None) -> t.JudgeAudit:
        """Measure the run's judge against people's verdicts

        Like POST /judges/audit, with the stored verdicts on this run. Calls the judge, never the model under test.
        """
        answer: t.JudgeAudit = await self._ask("POST", f"/runs/{self._segment(run_id, slashes=False)}/audit", query={}, headers={}, body=body)
        return answer

    async def list_scenarios(self, *, id: str | None = None, search: str | None = None, tag: str | None = None, limit: int | None = None, cursor: str | None = None, format: Literal["json", "jsonl", "yaml", "csv", "openai-chat", "sharegpt", "promptfoo", "openai-evals"] | None = None) -> t.LibraryList | t.ScenarioBody | List[Dict[str, Any]] | str:
        """List the library, or export it as a file"""
        answer: t.LibraryList | t.ScenarioBody | List[Dict[str, Any]] | str = await self._ask("GET", "/scenarios", query={"id": id, "search": search, "tag": tag, "limit": limit, "cursor": cursor, "format": format}, headers={}, body=None)
        return answer

    async def keep_scenarios(self, body: t.ScenarioBodyInput) -> t.KeptScenarios:
        """Store scenarios; unchanged content keeps its version

        Stores a hundred scenarios per transaction. After a failure, send the request again: stored scenarios stay
        unchanged.
        """
        answer: t.KeptScenarios = await self._ask("POST", "/scenarios", query={}, headers={}, body=body)
        return answer

    async def import_scenarios(self, body: t.ImportRequest) -> t.ImportAnswer:
        """Import scenarios from another tool's file

        Reports by line what it could not convert. `dry_run` stores nothing.
        """
        answer: t.ImportAnswer = await self._ask("POST", "/scenarios/import", query={}, headers={}, body=body)
        return answer

    async def remove_demo_scenarios(self) -> None:
        """Remove the examples of a new library"""
        await self._ask("DELETE", "/scenarios", query={}, headers={}, body=None)

    async def get_scenario(self, scenario_id: str, *, version: str | None = None) -> t.LibraryScenario:
        """Get one scenario, in its newest or a given version"""
        answer: t.LibraryScenario = await self._ask("GET", f"/scenarios/{self._segment(scenario_id, slashes=False)}", query={"version": version}, headers={}, body=None)
        return answer

    async def list_scenario_versions(self, scenario_id: str) -> t.ScenarioVersions:
        """List the versions of a scenario, newest first"""
        answer: t.ScenarioVersions = await self._ask("GET", f"/scenarios/{self._segment(scenario_id, slashes=False)}/versions", query={}, headers={}, body=None)
        return answer

    async def remove_scenario(self, scenario_id: str) -> None:
        """Remove a scenario with all its versions"""
        await self._ask("DELETE", f"/scenarios/{self._segment(scenario_id, slashes=False)}", query={}, headers={}, body=None)
