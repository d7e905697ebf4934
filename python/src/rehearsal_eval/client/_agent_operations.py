"""One method for each route of the agent backend, for callers with and without an event loop.

Generated from the service's OpenAPI document by ``npm run docs:reference``; do not edit.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Dict, List, Literal

from . import agent_types as t
from ._transport import AsyncTransport, ServerEvent, Transport


class AgentOperations(Transport):
    def run_agent_turn(self, body: t.AgentRequest, *, model_id: str, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None, rehearsal_world: str | None = None, idempotency_key: str | None = None) -> t.AgentReply:
        """Send a conversation to the agent and get its reply

        `x-model-id` selects the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>`
        to the hub; anything else must be a configured alias or the unique name of a fine-tuned model.
        `x-model-resolved` names the model that answered.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.

        A turn with an `idempotency-key`, in a thread or with `Prefer: respond-async` is accepted work: it is stored
        before its first call, and another process finishes it when its own ends. No call of the model or a tool
        that has ended is repeated.

        Tool calls that need approval are returned in `tool_calls`; continue the run with `POST
        /agent/runs/{run_id}/resume`.
        """
        answer: t.AgentReply = self._ask("POST", "/", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id, "rehearsal-world": rehearsal_world, "idempotency-key": idempotency_key}, body=body)
        return answer

    def run_agent_turn_events(self, body: t.AgentRequest, *, model_id: str, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None, rehearsal_world: str | None = None, idempotency_key: str | None = None) -> Iterator[ServerEvent]:
        """Send a conversation to the agent and get its reply

        `x-model-id` selects the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>`
        to the hub; anything else must be a configured alias or the unique name of a fine-tuned model.
        `x-model-resolved` names the model that answered.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.

        A turn with an `idempotency-key`, in a thread or with `Prefer: respond-async` is accepted work: it is stored
        before its first call, and another process finishes it when its own ends. No call of the model or a tool
        that has ended is repeated.

        Tool calls that need approval are returned in `tool_calls`; continue the run with `POST
        /agent/runs/{run_id}/resume`.
        """
        return self._stream("POST", "/", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id, "rehearsal-world": rehearsal_world, "idempotency-key": idempotency_key}, body=body)

    def list_studio_models(self) -> t.StudioModels:
        """Map the names of fine-tuned models to their UUIDs"""
        answer: t.StudioModels = self._ask("GET", "/studio/models", query={}, headers={}, body=None)
        return answer

    def create_chat_completion(self, body: t.ChatCompletionRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> t.ChatCompletion:
        """OpenAI chat completions, answered by the agent

        The service executes the agent's own tools; calls of the tools in the request are returned to the client.
        `usage` is the sum over all model calls of the run. `stream: true` sends chunks and `[DONE]`; the texts of
        the steps are separated by an empty line. A run that reached one of its limits finishes with `length`;
        `x-finish-reason` names the limit.

        Nothing is stored for the next request: `x-thread-id` is rejected (`header_invalid`), and a request repeated
        with the same `idempotency-key` starts a new run. POST / supports both.
        """
        answer: t.ChatCompletion = self._ask("POST", "/v1/chat/completions", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)
        return answer

    def create_chat_completion_events(self, body: t.ChatCompletionRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> Iterator[ServerEvent]:
        """OpenAI chat completions, answered by the agent

        The service executes the agent's own tools; calls of the tools in the request are returned to the client.
        `usage` is the sum over all model calls of the run. `stream: true` sends chunks and `[DONE]`; the texts of
        the steps are separated by an empty line. A run that reached one of its limits finishes with `length`;
        `x-finish-reason` names the limit.

        Nothing is stored for the next request: `x-thread-id` is rejected (`header_invalid`), and a request repeated
        with the same `idempotency-key` starts a new run. POST / supports both.
        """
        return self._stream("POST", "/v1/chat/completions", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    def create_response(self, body: t.ResponseRequest, *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None) -> t.ResponseBody:
        """OpenAI responses, answered by the agent

        Supports text and images as input, text as output, function tools of the client, and streaming.

        Unless `store` is false, the response is accepted work and stored under its `id`: another process finishes
        it when its own ends, `previous_response_id` and `item_reference` continue from it, and GET reads it. It is
        kept as long as a thread, counted from the last response of its chain. `conversation`, or `x-thread-id`,
        names a thread: the same as on POST /, and listed by GET /agent/threads.

        `background: true` answers at once with the status `queued`; read the response until its status is another
        than `in_progress`.
        """
        answer: t.ResponseBody = self._ask("POST", "/v1/responses", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id}, body=body)
        return answer

    def create_response_events(self, body: t.ResponseRequest, *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None) -> Iterator[ServerEvent]:
        """OpenAI responses, answered by the agent

        Supports text and images as input, text as output, function tools of the client, and streaming.

        Unless `store` is false, the response is accepted work and stored under its `id`: another process finishes
        it when its own ends, `previous_response_id` and `item_reference` continue from it, and GET reads it. It is
        kept as long as a thread, counted from the last response of its chain. `conversation`, or `x-thread-id`,
        names a thread: the same as on POST /, and listed by GET /agent/threads.

        `background: true` answers at once with the status `queued`; read the response until its status is another
        than `in_progress`.
        """
        return self._stream("POST", "/v1/responses", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id}, body=body)

    def get_response(self, response_id: str) -> t.ResponseBody:
        """Get a stored response

        Its `status` is `in_progress` until its turn has ended.
        """
        answer: t.ResponseBody = self._ask("GET", f"/v1/responses/{self._segment(response_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    def delete_response(self, response_id: str) -> t.DeletedResponse:
        """Delete a stored response

        Responses that continue it can be read, but no longer continued. A conversation keeps its messages, and the
        run its log.
        """
        answer: t.DeletedResponse = self._ask("DELETE", f"/v1/responses/{self._segment(response_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    def cancel_response(self, response_id: str) -> t.ResponseBody:
        """Cancel a response that is in progress

        A response that has ended is returned unchanged.
        """
        answer: t.ResponseBody = self._ask("POST", f"/v1/responses/{self._segment(response_id, slashes=False)}/cancel", query={}, headers={}, body=None)
        return answer

    def stream_ui_messages(self, body: t.UiChatRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> Iterator[ServerEvent]:
        """UI message stream, version 1, for the AI SDK's `useChat`

        Accepts the requests of `DefaultChatTransport` and answers with server-sent chunks: `start`, a step for each
        model call with its text and tools, `finish`, `[DONE]`. Tool calls that need approval are sent as
        `tool-approval-request`; send the conversation back with the decisions to continue the waiting run.
        `messageMetadata` contains `run_id`, `model`, `usage` and `cost`.
        """
        return self._stream("POST", "/agent/ui-messages", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    def stream_ag_ui(self, body: t.AgUiRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> Iterator[ServerEvent]:
        """AG-UI events, version 1.0, for AG-UI's `HttpAgent`

        Accepts a `RunAgentInput` and answers with server-sent events from `RUN_STARTED` to `RUN_FINISHED` or
        `RUN_ERROR`: the model's text and reasoning, its tool calls and their results. Calls to the client's own
        `tools` have no result: send it with the next run. Calls that need approval end the run with `interrupts`;
        send the decisions in `resume` to continue it. `metadata` contains `run_id`, `model`, `finish_reason` and
        `cost`.
        """
        return self._stream("POST", "/agent/ag-ui", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    def list_models(self) -> t.OpenAiModelList:
        """List the models known by name: fine-tuned, hub and aliases"""
        answer: t.OpenAiModelList = self._ask("GET", "/v1/models", query={}, headers={}, body=None)
        return answer

    def get_model(self, model: str) -> t.OpenAiModel:
        """Get one model known by name"""
        answer: t.OpenAiModel = self._ask("GET", f"/v1/models/{self._segment(model, slashes=True)}", query={}, headers={}, body=None)
        return answer

    def resume_agent_run(self, run_id: str, body: t.ResumeRequest, *, on_disconnect: Literal["cancel", "continue"] | None = None) -> t.AgentReply:
        """Approve or deny the waiting tool calls and continue the run

        Every waiting call needs one decision. Calls and arguments are those stored by the service: a decision about
        any other id is rejected. A run waits for one hour and can be resumed once; the response is that of POST /.
        A run whose process was killed after a decision waits again: the same decisions continue it without
        repeating completed steps; the model is informed that the outcome of a call in progress at that time is
        unknown.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.
        """
        answer: t.AgentReply = self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/resume", query={}, headers={"x-on-disconnect": on_disconnect}, body=body)
        return answer

    def resume_agent_run_events(self, run_id: str, body: t.ResumeRequest, *, on_disconnect: Literal["cancel", "continue"] | None = None) -> Iterator[ServerEvent]:
        """Approve or deny the waiting tool calls and continue the run

        Every waiting call needs one decision. Calls and arguments are those stored by the service: a decision about
        any other id is rejected. A run waits for one hour and can be resumed once; the response is that of POST /.
        A run whose process was killed after a decision waits again: the same decisions continue it without
        repeating completed steps; the model is informed that the outcome of a call in progress at that time is
        unknown.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.
        """
        return self._stream("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/resume", query={}, headers={"x-on-disconnect": on_disconnect}, body=body)

    def list_agent_runs(self, *, limit: int | None = None, cursor: str | None = None, state: Literal["running", "waiting", "completed", "failed", "cancelled"] | None = None, wire: Literal["agent", "openai-chat", "openai-responses", "ai-sdk-ui", "ag-ui", "mcp"] | None = None, model_id: str | None = None, thread_id: str | None = None) -> t.AgentRunList:
        """List recorded runs of the agent, newest first"""
        answer: t.AgentRunList = self._ask("GET", "/agent/runs", query={"limit": limit, "cursor": cursor, "state": state, "wire": wire, "model_id": model_id, "thread_id": thread_id}, headers={}, body=None)
        return answer

    def get_agent_run(self, run_id: str) -> t.AgentRunDetails:
        """Get one run with its messages, model calls, tool results, times and cost"""
        answer: t.AgentRunDetails = self._ask("GET", f"/agent/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    def cancel_agent_run(self, run_id: str) -> t.AgentRunSummary:
        """Cancel a run that has not ended

        A run in this process, or one that waits for approval, ends at once; an accepted turn of another process
        ends before its next step. An Idempotency-Key of the run keeps `run_cancelled` as its response.
        """
        answer: t.AgentRunSummary = self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/cancel", query={}, headers={}, body=None)
        return answer

    def replay_agent_run(self, run_id: str) -> t.AgentReplay:
        """Replay a run from its log, without calling a model

        Uses the recorded replies and reports whether the current agent takes the same steps, and where it differs.
        """
        answer: t.AgentReplay = self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/replay", query={}, headers={}, body=None)
        return answer

    def agent_run_to_scenario(self, run_id: str) -> t.Scenario:
        """Turn a recorded conversation into a scenario with its replies as references

        Stores the scenario in the library as `run-{run_id}`, with the version in `x-scenario-version`. Repeating
        the request changes nothing.
        """
        answer: t.Scenario = self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/scenario", query={}, headers={}, body=None)
        return answer

    def list_agent_threads(self, *, limit: int | None = None, cursor: str | None = None) -> t.AgentThreadList:
        """List stored conversations, the one with the latest turn first"""
        answer: t.AgentThreadList = self._ask("GET", "/agent/threads", query={"limit": limit, "cursor": cursor}, headers={}, body=None)
        return answer

    def get_agent_thread(self, thread_id: str) -> t.AgentThread:
        """Get a stored conversation"""
        answer: t.AgentThread = self._ask("GET", f"/agent/threads/{self._segment(thread_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    def delete_agent_thread(self, thread_id: str) -> None:
        """Delete a stored conversation

        Also deletes its recorded runs and the run that waits for approval. A turn in progress continues and its run
        is recorded; responses stored under an Idempotency-Key remain for 24 hours.
        """
        self._ask("DELETE", f"/agent/threads/{self._segment(thread_id, slashes=False)}", query={}, headers={}, body=None)

    def get_agent_upstreams(self) -> t.AgentUpstreams:
        """State of the model providers: circuit breakers, queues and tool support"""
        answer: t.AgentUpstreams = self._ask("GET", "/agent/upstreams", query={}, headers={}, body=None)
        return answer

    def list_local_servers(self) -> t.LocalServers:
        """Find model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM

        Probes only their default ports on loopback.
        """
        answer: t.LocalServers = self._ask("GET", "/agent/local-servers", query={}, headers={}, body=None)
        return answer

    def list_model_providers(self) -> t.ModelProviderList:
        """List well-known and configured providers of models, and the variable that holds the key of each

        Says whether a key is set, never the key.
        """
        answer: t.ModelProviderList = self._ask("GET", "/agent/providers", query={}, headers={}, body=None)
        return answer

    def test_model_provider(self, body: t.ConnectionTestRequest) -> t.ConnectionTest:
        """Test the connection to a provider with the key in the service's environment

        Reads the provider's list of models or, with `model`, asks that model one short question. A failure is a
        result with `ok` false. An address that is not connected is subject to the endpoint policy of evaluations.
        """
        answer: t.ConnectionTest = self._ask("POST", "/agent/providers/test", query={}, headers={}, body=body)
        return answer

    def call_mcp(self, body: t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure | List[t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure], *, mcp_protocol_version: Literal["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] | None = None, mcp_session_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> Dict[str, Any]:
        """The agent as an MCP server over streamable HTTP

        JSON-RPC of the Model Context Protocol; calls are independent of each other. Tools: `ask_agent` asks the
        agent a question, `list_models` lists its models. The agent does not use tools that need approval for these
        questions. A failed call has status 200 and an error in its result (`isError`) or a JSON-RPC `error`; only
        requests that are not valid calls have another status.
        """
        answer: Dict[str, Any] = self._ask("POST", "/mcp", query={}, headers={"mcp-protocol-version": mcp_protocol_version, "mcp-session-id": mcp_session_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)
        return answer

    def call_mcp_events(self, body: t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure | List[t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure], *, mcp_protocol_version: Literal["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] | None = None, mcp_session_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> Iterator[ServerEvent]:
        """The agent as an MCP server over streamable HTTP

        JSON-RPC of the Model Context Protocol; calls are independent of each other. Tools: `ask_agent` asks the
        agent a question, `list_models` lists its models. The agent does not use tools that need approval for these
        questions. A failed call has status 200 and an error in its result (`isError`) or a JSON-RPC `error`; only
        requests that are not valid calls have another status.
        """
        return self._stream("POST", "/mcp", query={}, headers={"mcp-protocol-version": mcp_protocol_version, "mcp-session-id": mcp_session_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    def get_metrics(self) -> str:
        """Get Prometheus metrics: turns, failures, tool calls, tokens and durations"""
        answer: str = self._ask("GET", "/metrics", query={}, headers={}, body=None)
        return answer

    def get_health(self) -> t.Health:
        """Check that the process is alive"""
        answer: t.Health = self._ask("GET", "/healthz", query={}, headers={}, body=None)
        return answer

    def get_readiness(self) -> t.Health:
        """Check that the service accepts requests"""
        answer: t.Health = self._ask("GET", "/readyz", query={}, headers={}, body=None)
        return answer


class AsyncAgentOperations(AsyncTransport):
    async def run_agent_turn(self, body: t.AgentRequest, *, model_id: str, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None, rehearsal_world: str | None = None, idempotency_key: str | None = None) -> t.AgentReply:
        """Send a conversation to the agent and get its reply

        `x-model-id` selects the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>`
        to the hub; anything else must be a configured alias or the unique name of a fine-tuned model.
        `x-model-resolved` names the model that answered.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.

        A turn with an `idempotency-key`, in a thread or with `Prefer: respond-async` is accepted work: it is stored
        before its first call, and another process finishes it when its own ends. No call of the model or a tool
        that has ended is repeated.

        Tool calls that need approval are returned in `tool_calls`; continue the run with `POST
        /agent/runs/{run_id}/resume`.
        """
        answer: t.AgentReply = await self._ask("POST", "/", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id, "rehearsal-world": rehearsal_world, "idempotency-key": idempotency_key}, body=body)
        return answer

    def run_agent_turn_events(self, body: t.AgentRequest, *, model_id: str, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None, rehearsal_world: str | None = None, idempotency_key: str | None = None) -> AsyncIterator[ServerEvent]:
        """Send a conversation to the agent and get its reply

        `x-model-id` selects the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>`
        to the hub; anything else must be a configured alias or the unique name of a fine-tuned model.
        `x-model-resolved` names the model that answered.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.

        A turn with an `idempotency-key`, in a thread or with `Prefer: respond-async` is accepted work: it is stored
        before its first call, and another process finishes it when its own ends. No call of the model or a tool
        that has ended is repeated.

        Tool calls that need approval are returned in `tool_calls`; continue the run with `POST
        /agent/runs/{run_id}/resume`.
        """
        return self._stream("POST", "/", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id, "rehearsal-world": rehearsal_world, "idempotency-key": idempotency_key}, body=body)

    async def list_studio_models(self) -> t.StudioModels:
        """Map the names of fine-tuned models to their UUIDs"""
        answer: t.StudioModels = await self._ask("GET", "/studio/models", query={}, headers={}, body=None)
        return answer

    async def create_chat_completion(self, body: t.ChatCompletionRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> t.ChatCompletion:
        """OpenAI chat completions, answered by the agent

        The service executes the agent's own tools; calls of the tools in the request are returned to the client.
        `usage` is the sum over all model calls of the run. `stream: true` sends chunks and `[DONE]`; the texts of
        the steps are separated by an empty line. A run that reached one of its limits finishes with `length`;
        `x-finish-reason` names the limit.

        Nothing is stored for the next request: `x-thread-id` is rejected (`header_invalid`), and a request repeated
        with the same `idempotency-key` starts a new run. POST / supports both.
        """
        answer: t.ChatCompletion = await self._ask("POST", "/v1/chat/completions", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)
        return answer

    def create_chat_completion_events(self, body: t.ChatCompletionRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> AsyncIterator[ServerEvent]:
        """OpenAI chat completions, answered by the agent

        The service executes the agent's own tools; calls of the tools in the request are returned to the client.
        `usage` is the sum over all model calls of the run. `stream: true` sends chunks and `[DONE]`; the texts of
        the steps are separated by an empty line. A run that reached one of its limits finishes with `length`;
        `x-finish-reason` names the limit.

        Nothing is stored for the next request: `x-thread-id` is rejected (`header_invalid`), and a request repeated
        with the same `idempotency-key` starts a new run. POST / supports both.
        """
        return self._stream("POST", "/v1/chat/completions", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    async def create_response(self, body: t.ResponseRequest, *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None) -> t.ResponseBody:
        """OpenAI responses, answered by the agent

        Supports text and images as input, text as output, function tools of the client, and streaming.

        Unless `store` is false, the response is accepted work and stored under its `id`: another process finishes
        it when its own ends, `previous_response_id` and `item_reference` continue from it, and GET reads it. It is
        kept as long as a thread, counted from the last response of its chain. `conversation`, or `x-thread-id`,
        names a thread: the same as on POST /, and listed by GET /agent/threads.

        `background: true` answers at once with the status `queued`; read the response until its status is another
        than `in_progress`.
        """
        answer: t.ResponseBody = await self._ask("POST", "/v1/responses", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id}, body=body)
        return answer

    def create_response_events(self, body: t.ResponseRequest, *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None, thread_id: str | None = None) -> AsyncIterator[ServerEvent]:
        """OpenAI responses, answered by the agent

        Supports text and images as input, text as output, function tools of the client, and streaming.

        Unless `store` is false, the response is accepted work and stored under its `id`: another process finishes
        it when its own ends, `previous_response_id` and `item_reference` continue from it, and GET reads it. It is
        kept as long as a thread, counted from the last response of its chain. `conversation`, or `x-thread-id`,
        names a thread: the same as on POST /, and listed by GET /agent/threads.

        `background: true` answers at once with the status `queued`; read the response until its status is another
        than `in_progress`.
        """
        return self._stream("POST", "/v1/responses", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect, "x-thread-id": thread_id}, body=body)

    async def get_response(self, response_id: str) -> t.ResponseBody:
        """Get a stored response

        Its `status` is `in_progress` until its turn has ended.
        """
        answer: t.ResponseBody = await self._ask("GET", f"/v1/responses/{self._segment(response_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    async def delete_response(self, response_id: str) -> t.DeletedResponse:
        """Delete a stored response

        Responses that continue it can be read, but no longer continued. A conversation keeps its messages, and the
        run its log.
        """
        answer: t.DeletedResponse = await self._ask("DELETE", f"/v1/responses/{self._segment(response_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    async def cancel_response(self, response_id: str) -> t.ResponseBody:
        """Cancel a response that is in progress

        A response that has ended is returned unchanged.
        """
        answer: t.ResponseBody = await self._ask("POST", f"/v1/responses/{self._segment(response_id, slashes=False)}/cancel", query={}, headers={}, body=None)
        return answer

    def stream_ui_messages(self, body: t.UiChatRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> AsyncIterator[ServerEvent]:
        """UI message stream, version 1, for the AI SDK's `useChat`

        Accepts the requests of `DefaultChatTransport` and answers with server-sent chunks: `start`, a step for each
        model call with its text and tools, `finish`, `[DONE]`. Tool calls that need approval are sent as
        `tool-approval-request`; send the conversation back with the decisions to continue the waiting run.
        `messageMetadata` contains `run_id`, `model`, `usage` and `cost`.
        """
        return self._stream("POST", "/agent/ui-messages", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    def stream_ag_ui(self, body: t.AgUiRequest | Mapping[str, Any], *, model_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> AsyncIterator[ServerEvent]:
        """AG-UI events, version 1.0, for AG-UI's `HttpAgent`

        Accepts a `RunAgentInput` and answers with server-sent events from `RUN_STARTED` to `RUN_FINISHED` or
        `RUN_ERROR`: the model's text and reasoning, its tool calls and their results. Calls to the client's own
        `tools` have no result: send it with the next run. Calls that need approval end the run with `interrupts`;
        send the decisions in `resume` to continue it. `metadata` contains `run_id`, `model`, `finish_reason` and
        `cost`.
        """
        return self._stream("POST", "/agent/ag-ui", query={}, headers={"x-model-id": model_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    async def list_models(self) -> t.OpenAiModelList:
        """List the models known by name: fine-tuned, hub and aliases"""
        answer: t.OpenAiModelList = await self._ask("GET", "/v1/models", query={}, headers={}, body=None)
        return answer

    async def get_model(self, model: str) -> t.OpenAiModel:
        """Get one model known by name"""
        answer: t.OpenAiModel = await self._ask("GET", f"/v1/models/{self._segment(model, slashes=True)}", query={}, headers={}, body=None)
        return answer

    async def resume_agent_run(self, run_id: str, body: t.ResumeRequest, *, on_disconnect: Literal["cancel", "continue"] | None = None) -> t.AgentReply:
        """Approve or deny the waiting tool calls and continue the run

        Every waiting call needs one decision. Calls and arguments are those stored by the service: a decision about
        any other id is rejected. A run waits for one hour and can be resumed once; the response is that of POST /.
        A run whose process was killed after a decision waits again: the same decisions continue it without
        repeating completed steps; the model is informed that the outcome of a call in progress at that time is
        unknown.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.
        """
        answer: t.AgentReply = await self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/resume", query={}, headers={"x-on-disconnect": on_disconnect}, body=body)
        return answer

    def resume_agent_run_events(self, run_id: str, body: t.ResumeRequest, *, on_disconnect: Literal["cancel", "continue"] | None = None) -> AsyncIterator[ServerEvent]:
        """Approve or deny the waiting tool calls and continue the run

        Every waiting call needs one decision. Calls and arguments are those stored by the service: a decision about
        any other id is rejected. A run waits for one hour and can be resumed once; the response is that of POST /.
        A run whose process was killed after a decision waits again: the same decisions continue it without
        repeating completed steps; the model is informed that the outcome of a call in progress at that time is
        unknown.

        With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`,
        `reasoning-delta`, `tool-start`, `tool-end`, and finally `run-end`, whose `message` is the JSON response, or
        `error`, a problem document. A tool call that is not executed has both tool events too, with `ok` false. A
        stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments;
        `run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.
        """
        return self._stream("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/resume", query={}, headers={"x-on-disconnect": on_disconnect}, body=body)

    async def list_agent_runs(self, *, limit: int | None = None, cursor: str | None = None, state: Literal["running", "waiting", "completed", "failed", "cancelled"] | None = None, wire: Literal["agent", "openai-chat", "openai-responses", "ai-sdk-ui", "ag-ui", "mcp"] | None = None, model_id: str | None = None, thread_id: str | None = None) -> t.AgentRunList:
        """List recorded runs of the agent, newest first"""
        answer: t.AgentRunList = await self._ask("GET", "/agent/runs", query={"limit": limit, "cursor": cursor, "state": state, "wire": wire, "model_id": model_id, "thread_id": thread_id}, headers={}, body=None)
        return answer

    async def get_agent_run(self, run_id: str) -> t.AgentRunDetails:
        """Get one run with its messages, model calls, tool results, times and cost"""
        answer: t.AgentRunDetails = await self._ask("GET", f"/agent/runs/{self._segment(run_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    async def cancel_agent_run(self, run_id: str) -> t.AgentRunSummary:
        """Cancel a run that has not ended

        A run in this process, or one that waits for approval, ends at once; an accepted turn of another process
        ends before its next step. An Idempotency-Key of the run keeps `run_cancelled` as its response.
        """
        answer: t.AgentRunSummary = await self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/cancel", query={}, headers={}, body=None)
        return answer

    async def replay_agent_run(self, run_id: str) -> t.AgentReplay:
        """Replay a run from its log, without calling a model

        Uses the recorded replies and reports whether the current agent takes the same steps, and where it differs.
        """
        answer: t.AgentReplay = await self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/replay", query={}, headers={}, body=None)
        return answer

    async def agent_run_to_scenario(self, run_id: str) -> t.Scenario:
        """Turn a recorded conversation into a scenario with its replies as references

        Stores the scenario in the library as `run-{run_id}`, with the version in `x-scenario-version`. Repeating
        the request changes nothing.
        """
        answer: t.Scenario = await self._ask("POST", f"/agent/runs/{self._segment(run_id, slashes=False)}/scenario", query={}, headers={}, body=None)
        return answer

    async def list_agent_threads(self, *, limit: int | None = None, cursor: str | None = None) -> t.AgentThreadList:
        """List stored conversations, the one with the latest turn first"""
        answer: t.AgentThreadList = await self._ask("GET", "/agent/threads", query={"limit": limit, "cursor": cursor}, headers={}, body=None)
        return answer

    async def get_agent_thread(self, thread_id: str) -> t.AgentThread:
        """Get a stored conversation"""
        answer: t.AgentThread = await self._ask("GET", f"/agent/threads/{self._segment(thread_id, slashes=False)}", query={}, headers={}, body=None)
        return answer

    async def delete_agent_thread(self, thread_id: str) -> None:
        """Delete a stored conversation

        Also deletes its recorded runs and the run that waits for approval. A turn in progress continues and its run
        is recorded; responses stored under an Idempotency-Key remain for 24 hours.
        """
        await self._ask("DELETE", f"/agent/threads/{self._segment(thread_id, slashes=False)}", query={}, headers={}, body=None)

    async def get_agent_upstreams(self) -> t.AgentUpstreams:
        """State of the model providers: circuit breakers, queues and tool support"""
        answer: t.AgentUpstreams = await self._ask("GET", "/agent/upstreams", query={}, headers={}, body=None)
        return answer

    async def list_local_servers(self) -> t.LocalServers:
        """Find model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM

        Probes only their default ports on loopback.
        """
        answer: t.LocalServers = await self._ask("GET", "/agent/local-servers", query={}, headers={}, body=None)
        return answer

    async def list_model_providers(self) -> t.ModelProviderList:
        """List well-known and configured providers of models, and the variable that holds the key of each

        Says whether a key is set, never the key.
        """
        answer: t.ModelProviderList = await self._ask("GET", "/agent/providers", query={}, headers={}, body=None)
        return answer

    async def test_model_provider(self, body: t.ConnectionTestRequest) -> t.ConnectionTest:
        """Test the connection to a provider with the key in the service's environment

        Reads the provider's list of models or, with `model`, asks that model one short question. A failure is a
        result with `ok` false. An address that is not connected is subject to the endpoint policy of evaluations.
        """
        answer: t.ConnectionTest = await self._ask("POST", "/agent/providers/test", query={}, headers={}, body=body)
        return answer

    async def call_mcp(self, body: t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure | List[t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure], *, mcp_protocol_version: Literal["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] | None = None, mcp_session_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> Dict[str, Any]:
        """The agent as an MCP server over streamable HTTP

        JSON-RPC of the Model Context Protocol; calls are independent of each other. Tools: `ask_agent` asks the
        agent a question, `list_models` lists its models. The agent does not use tools that need approval for these
        questions. A failed call has status 200 and an error in its result (`isError`) or a JSON-RPC `error`; only
        requests that are not valid calls have another status.
        """
        answer: Dict[str, Any] = await self._ask("POST", "/mcp", query={}, headers={"mcp-protocol-version": mcp_protocol_version, "mcp-session-id": mcp_session_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)
        return answer

    def call_mcp_events(self, body: t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure | List[t.JsonRpcCall | t.JsonRpcResult | t.JsonRpcFailure], *, mcp_protocol_version: Literal["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] | None = None, mcp_session_id: str | None = None, model_fallbacks: str | None = None, agent_tools: str | None = None, on_disconnect: Literal["cancel", "continue"] | None = None) -> AsyncIterator[ServerEvent]:
        """The agent as an MCP server over streamable HTTP

        JSON-RPC of the Model Context Protocol; calls are independent of each other. Tools: `ask_agent` asks the
        agent a question, `list_models` lists its models. The agent does not use tools that need approval for these
        questions. A failed call has status 200 and an error in its result (`isError`) or a JSON-RPC `error`; only
        requests that are not valid calls have another status.
        """
        return self._stream("POST", "/mcp", query={}, headers={"mcp-protocol-version": mcp_protocol_version, "mcp-session-id": mcp_session_id, "x-model-fallbacks": model_fallbacks, "x-agent-tools": agent_tools, "x-on-disconnect": on_disconnect}, body=body)

    async def get_metrics(self) -> str:
        """Get Prometheus metrics: turns, failures, tool calls, tokens and durations"""
        answer: str = await self._ask("GET", "/metrics", query={}, headers={}, body=None)
        return answer

    async def get_health(self) -> t.Health:
        """Check that the process is alive"""
        answer: t.Health = await self._ask("GET", "/healthz", query={}, headers={}, body=None)
        return answer

    async def get_readiness(self) -> t.Health:
        """Check that the service accepts requests"""
        answer: t.Health = await self._ask("GET", "/readyz", query={}, headers={}, body=None)
        return answer
