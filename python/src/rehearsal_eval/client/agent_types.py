"""The types of the agent backend.

Generated from the service's OpenAPI document by ``npm run docs:reference``; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Literal, TypeAlias, TypedDict

# Fields may be called like the types of their neighbours, such as `list`: hence `List` and `Dict`.


class _AgentRequestRequired(TypedDict):
    messages: List[AgentMessage]


class AgentRequest(_AgentRequestRequired, total=False):
    system_prompt: str
    """Put before the conversation, for this turn only: a thread does not store it."""
    parameters: Parameters
    """Sampling settings of the model's calls in this turn."""


class AgentMessageHuman(TypedDict):
    type: Literal["human"]
    content: str


class _AgentMessageAiRequired(TypedDict):
    type: Literal["ai"]
    content: str


class AgentMessageAi(_AgentMessageAiRequired, total=False):
    tool_calls: List[MessageToolCall] | None


class _AgentMessageToolRequired(TypedDict):
    type: Literal["tool"]
    content: str


class AgentMessageTool(_AgentMessageToolRequired, total=False):
    name: str | None
    tool_call_id: str | None


AgentMessage: TypeAlias = "AgentMessageHuman | AgentMessageAi | AgentMessageTool"


class _MessageToolCallRequired(TypedDict):
    name: str
    args: Dict[str, Any]


class MessageToolCall(_MessageToolCallRequired, total=False):
    id: str | None
    type: Literal["tool_call"]


class Parameters(TypedDict, total=False):
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    stop: str | List[str]
    extra: Dict[str, Any]
    """Merged into the request body sent to the model, without `model`, `messages` and `stream`. With
    `anthropic-messages`, only fields of that API are sent. With `openai-responses`, fields of chat completions are
    translated or dropped.
    """


class ChatCompletionRequestStreamOptions(TypedDict, total=False):
    include_usage: bool | None


class ChatCompletionRequestToolChoice2FunctionFunction(TypedDict):
    name: str


class ChatCompletionRequestToolChoice2Function(TypedDict):
    type: Literal["function"]
    function: ChatCompletionRequestToolChoice2FunctionFunction


class ChatCompletionRequestToolChoice2AllowedToolsAllowedToolsToolsItemFunction(TypedDict):
    name: str


class ChatCompletionRequestToolChoice2AllowedToolsAllowedToolsToolsItem(TypedDict):
    type: Literal["function"]
    function: ChatCompletionRequestToolChoice2AllowedToolsAllowedToolsToolsItemFunction


class ChatCompletionRequestToolChoice2AllowedToolsAllowedTools(TypedDict):
    mode: Literal["auto", "required"]
    tools: List[ChatCompletionRequestToolChoice2AllowedToolsAllowedToolsToolsItem]


class ChatCompletionRequestToolChoice2AllowedTools(TypedDict):
    type: Literal["allowed_tools"]
    allowed_tools: ChatCompletionRequestToolChoice2AllowedToolsAllowedTools


class _ChatCompletionRequestRequired(TypedDict):
    messages: List[OpenAiMessage]


class ChatCompletionRequest(_ChatCompletionRequestRequired, total=False):
    model: str
    """The model, as in x-model-id. Default: the header's."""
    stream: bool | None
    stream_options: ChatCompletionRequestStreamOptions | None
    tools: List[OpenAiTool] | None
    """The client's own tools. Calls to them are returned to the client."""
    tool_choice: Literal["auto", "none", "required"] | ChatCompletionRequestToolChoice2Function | ChatCompletionRequestToolChoice2AllowedTools | None
    parallel_tool_calls: bool | None
    """Forwarded to the provider when the request has tools."""
    n: Literal[1] | None
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    seed: int | None
    stop: str | List[str] | None
    functions: None


class _OpenAiMessage2Content2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class OpenAiMessage2Content2Item(_OpenAiMessage2Content2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessage2Required(TypedDict):
    role: Literal["system", "developer"]
    content: str | List[OpenAiMessage2Content2Item]


class OpenAiMessage2(_OpenAiMessage2Required, total=False):
    name: str | None
    """Distinguishes speakers of one role."""
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessageUserContent2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class OpenAiMessageUserContent2Item(_OpenAiMessageUserContent2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessageUserContent2ItemImageUrlImageUrl2Required(TypedDict):
    url: str


class OpenAiMessageUserContent2ItemImageUrlImageUrl2(_OpenAiMessageUserContent2ItemImageUrlImageUrl2Required, total=False):
    detail: str | None


class _OpenAiMessageUserContent2ItemImageUrlRequired(TypedDict):
    type: Literal["image_url"]
    image_url: str | OpenAiMessageUserContent2ItemImageUrlImageUrl2


class OpenAiMessageUserContent2ItemImageUrl(_OpenAiMessageUserContent2ItemImageUrlRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessageUserContent2ItemInputImageRequired(TypedDict):
    type: Literal["input_image"]
    image_url: str


class OpenAiMessageUserContent2ItemInputImage(_OpenAiMessageUserContent2ItemInputImageRequired, total=False):
    detail: str | None
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""
    file_id: None


class _OpenAiMessageUserRequired(TypedDict):
    role: Literal["user"]
    content: str | List[OpenAiMessageUserContent2Item | OpenAiMessageUserContent2ItemImageUrl | OpenAiMessageUserContent2ItemInputImage]


class OpenAiMessageUser(_OpenAiMessageUserRequired, total=False):
    name: str | None
    """Distinguishes speakers of one role."""
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessageAssistantContent2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class OpenAiMessageAssistantContent2Item(_OpenAiMessageAssistantContent2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class OpenAiMessageAssistantContent2ItemRefusal(TypedDict):
    type: Literal["refusal"]
    refusal: str


class _OpenAiMessageAssistantRequired(TypedDict):
    role: Literal["assistant"]


class OpenAiMessageAssistant(_OpenAiMessageAssistantRequired, total=False):
    name: str | None
    """Distinguishes speakers of one role."""
    content: str | List[OpenAiMessageAssistantContent2Item | OpenAiMessageAssistantContent2ItemRefusal] | None
    refusal: str | None
    tool_calls: List[OpenAiToolCall] | None
    reasoning_content: str | None
    reasoning_details: List[Any] | None
    thinking: List[Any] | None
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessageToolContent2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class OpenAiMessageToolContent2Item(_OpenAiMessageToolContent2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiMessageToolRequired(TypedDict):
    role: Literal["tool"]
    content: str | List[OpenAiMessageToolContent2Item]
    tool_call_id: str


class OpenAiMessageTool(_OpenAiMessageToolRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


OpenAiMessage: TypeAlias = "OpenAiMessage2 | OpenAiMessageUser | OpenAiMessageAssistant | OpenAiMessageTool"


class OpenAiToolCallFunction(TypedDict):
    name: str
    arguments: str


class _OpenAiToolCallRequired(TypedDict):
    id: str
    type: Literal["function"]
    function: OpenAiToolCallFunction


class OpenAiToolCall(_OpenAiToolCallRequired, total=False):
    extra_content: Dict[str, Any] | None
    """Opaque data of the provider. Send it back unchanged with the call."""


class _OpenAiToolFunctionRequired(TypedDict):
    name: str


class OpenAiToolFunction(_OpenAiToolFunctionRequired, total=False):
    description: str | None
    parameters: Dict[str, Any] | None
    strict: bool | None
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _OpenAiToolRequired(TypedDict):
    type: Literal["function"]
    function: OpenAiToolFunction


class OpenAiTool(_OpenAiToolRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class ResponseRequestToolChoice2Function(TypedDict):
    type: Literal["function"]
    name: str


class ResponseRequestToolChoice2AllowedToolsToolsItem(TypedDict):
    type: Literal["function"]
    name: str


class ResponseRequestToolChoice2AllowedTools(TypedDict):
    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    tools: List[ResponseRequestToolChoice2AllowedToolsToolsItem]


class ResponseRequestTextFormat(TypedDict):
    type: str


class ResponseRequestText(TypedDict, total=False):
    format: ResponseRequestTextFormat | Mapping[str, Any] | None
    verbosity: str | None


class ResponseRequestReasoning(TypedDict, total=False):
    effort: str | None


class ResponseRequestConversation2(TypedDict):
    id: str


class _ResponseRequestRequired(TypedDict):
    input: str | List[ResponseInputItem]


class ResponseRequest(_ResponseRequestRequired, total=False):
    model: str
    """The model, as in x-model-id. Default: the header's."""
    instructions: str | None
    stream: bool | None
    tools: List[ResponseTool] | None
    tool_choice: Literal["auto", "none", "required"] | ResponseRequestToolChoice2Function | ResponseRequestToolChoice2AllowedTools | None
    parallel_tool_calls: bool | None
    """Forwarded to the provider when the request has tools."""
    temperature: float | None
    top_p: float | None
    max_output_tokens: int | None
    text: ResponseRequestText | Mapping[str, Any] | None
    """Forwarded to the provider."""
    reasoning: ResponseRequestReasoning | Mapping[str, Any] | None
    """`effort` is forwarded to the provider."""
    include: List[str] | None
    """`message.output_text.logprobs` requests log probabilities."""
    top_logprobs: int | None
    service_tier: str | None
    user: str | None
    safety_identifier: str | None
    prompt_cache_key: str | None
    prompt_cache_retention: str | None
    metadata: Dict[str, str] | None
    max_tool_calls: None
    conversation: str | ResponseRequestConversation2 | None
    """A thread, as in x-thread-id: `input` then contains only the new items."""
    prompt: None
    previous_response_id: str | None
    """The stored response that this one continues: `input` then contains only the new items."""
    background: bool | None
    """`true` answers at once; read the response with GET /v1/responses/{response_id}."""
    store: bool | None
    """`false` stores nothing. Default: the response can be continued, read and deleted by its id."""


class _ResponseInputItemMessageContent2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class ResponseInputItemMessageContent2Item(_ResponseInputItemMessageContent2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _ResponseInputItemMessageContent2ItemImageUrlImageUrl2Required(TypedDict):
    url: str


class ResponseInputItemMessageContent2ItemImageUrlImageUrl2(_ResponseInputItemMessageContent2ItemImageUrlImageUrl2Required, total=False):
    detail: str | None


class _ResponseInputItemMessageContent2ItemImageUrlRequired(TypedDict):
    type: Literal["image_url"]
    image_url: str | ResponseInputItemMessageContent2ItemImageUrlImageUrl2


class ResponseInputItemMessageContent2ItemImageUrl(_ResponseInputItemMessageContent2ItemImageUrlRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class _ResponseInputItemMessageContent2ItemInputImageRequired(TypedDict):
    type: Literal["input_image"]
    image_url: str


class ResponseInputItemMessageContent2ItemInputImage(_ResponseInputItemMessageContent2ItemInputImageRequired, total=False):
    detail: str | None
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""
    file_id: None


class _ResponseInputItemMessageRequired(TypedDict):
    role: Literal["user"]
    content: str | List[ResponseInputItemMessageContent2Item | ResponseInputItemMessageContent2ItemImageUrl | ResponseInputItemMessageContent2ItemInputImage]


class ResponseInputItemMessage(_ResponseInputItemMessageRequired, total=False):
    type: Literal["message"]


class _ResponseInputItemMessage2Content2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class ResponseInputItemMessage2Content2Item(_ResponseInputItemMessage2Content2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class ResponseInputItemMessage2Content2ItemRefusal(TypedDict):
    type: Literal["refusal"]
    refusal: str


class _ResponseInputItemMessage2Required(TypedDict):
    role: Literal["assistant", "system", "developer"]
    content: str | List[ResponseInputItemMessage2Content2Item | ResponseInputItemMessage2Content2ItemRefusal]


class ResponseInputItemMessage2(_ResponseInputItemMessage2Required, total=False):
    type: Literal["message"]


class ResponseInputItemFunctionCall(TypedDict):
    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str


class _ResponseInputItemFunctionCallOutputOutput2ItemRequired(TypedDict):
    type: Literal["text", "input_text", "output_text"]
    text: str


class ResponseInputItemFunctionCallOutputOutput2Item(_ResponseInputItemFunctionCallOutputOutput2ItemRequired, total=False):
    cache_control: Dict[str, Any] | None
    """Forwarded to providers with prompt caching."""


class ResponseInputItemFunctionCallOutput(TypedDict):
    type: Literal["function_call_output"]
    call_id: str
    output: str | List[ResponseInputItemFunctionCallOutputOutput2Item]


class _ResponseInputItemReasoningRequired(TypedDict):
    type: Literal["reasoning"]


class ResponseInputItemReasoning(_ResponseInputItemReasoningRequired, total=False):
    encrypted_content: str | None


class ResponseInputItemItemReference(TypedDict):
    """An item of the output of a stored response."""
    type: Literal["item_reference"]
    id: str


ResponseInputItem: TypeAlias = "ResponseInputItemMessage | ResponseInputItemMessage2 | ResponseInputItemFunctionCall | ResponseInputItemFunctionCallOutput | ResponseInputItemReasoning | ResponseInputItemItemReference"


class _ResponseToolRequired(TypedDict):
    type: Literal["function"]
    name: str


class ResponseTool(_ResponseToolRequired, total=False):
    description: str | None
    parameters: Dict[str, Any] | None
    strict: bool | None


class _UiChatRequestRequired(TypedDict):
    messages: List[UiMessage | Mapping[str, Any]]


class UiChatRequest(_UiChatRequestRequired, total=False):
    model: str
    """The model, as in x-model-id. Default: the header's."""


class UiMessagePartsItemText(TypedDict):
    type: Literal["text"]
    text: str


class UiMessagePartsItemFile(TypedDict):
    type: Literal["file"]
    mediaType: str
    """Default: ""."""
    url: str
    """Default: ""."""


class UiMessagePartsItem3CallProviderMetadataRehearsal(TypedDict, total=False):
    echo: str


class UiMessagePartsItem3CallProviderMetadata(TypedDict, total=False):
    """Data of the provider. Send it back unchanged with the call."""
    rehearsal: UiMessagePartsItem3CallProviderMetadataRehearsal | Mapping[str, Any]


class _UiMessagePartsItem3ApprovalRequired(TypedDict):
    id: str


class UiMessagePartsItem3Approval(_UiMessagePartsItem3ApprovalRequired, total=False):
    approved: bool
    reason: str


class _UiMessagePartsItem3Required(TypedDict):
    type: str
    toolCallId: str
    state: str


class UiMessagePartsItem3(_UiMessagePartsItem3Required, total=False):
    toolName: str
    """Set for `dynamic-tool`. Otherwise the name follows `tool-` in `type`."""
    input: Any
    output: Any
    errorText: str
    callProviderMetadata: UiMessagePartsItem3CallProviderMetadata | Mapping[str, Any]
    """Data of the provider. Send it back unchanged with the call."""
    approval: UiMessagePartsItem3Approval | Mapping[str, Any]


class UiMessagePartsItem4(TypedDict):
    type: str


class UiMessage(TypedDict):
    id: str
    role: Literal["system", "user", "assistant"]
    parts: List[UiMessagePartsItemText | Mapping[str, Any] | UiMessagePartsItemFile | Mapping[str, Any] | UiMessagePartsItem3 | Mapping[str, Any] | UiMessagePartsItem4 | Mapping[str, Any]]


class _AgUiRequestToolsItemRequired(TypedDict):
    name: str


class AgUiRequestToolsItem(_AgUiRequestToolsItemRequired, total=False):
    description: str
    """Default: ""."""
    parameters: Dict[str, Any] | None


class AgUiRequestContextItem(TypedDict):
    description: str
    value: str


class AgUiRequestForwardedProps(TypedDict, total=False):
    model: str
    """The model, as in x-model-id. Default: the header's."""


class _AgUiRequestResumeItemPayloadRequired(TypedDict):
    approved: bool


class AgUiRequestResumeItemPayload(_AgUiRequestResumeItemPayloadRequired, total=False):
    """The decision when `status` is `resolved`. The model reads the reason of a denial."""
    reason: str | None


class _AgUiRequestResumeItemRequired(TypedDict):
    interruptId: str
    """The id from `interrupts` of RUN_FINISHED."""
    status: Literal["resolved", "cancelled"]
    """`cancelled` denies the call."""


class AgUiRequestResumeItem(_AgUiRequestResumeItemRequired, total=False):
    payload: AgUiRequestResumeItemPayload | Mapping[str, Any]
    """The decision when `status` is `resolved`. The model reads the reason of a denial."""


class _AgUiRequestRequired(TypedDict):
    threadId: str
    """Repeated in the events. The conversation is the one in `messages`."""
    runId: str
    """Repeated in the events."""
    messages: List[AgUiMessage]


class AgUiRequest(_AgUiRequestRequired, total=False):
    tools: List[AgUiRequestToolsItem | Mapping[str, Any]] | None
    """The client's own tools. Calls to them are returned to the client."""
    context: List[AgUiRequestContextItem | Mapping[str, Any]] | None
    """The state of the application. The model reads it before the conversation."""
    forwardedProps: AgUiRequestForwardedProps | Mapping[str, Any] | None
    resume: List[AgUiRequestResumeItem | Mapping[str, Any]] | None
    """Decisions about the tool calls a run waits for."""


class AgUiMessage2(TypedDict):
    role: Literal["system", "developer"]
    content: str


class AgUiMessageUserContent2ItemText(TypedDict):
    type: Literal["text"]
    text: str


class _AgUiMessageUserContent2ItemImageSourceRequired(TypedDict):
    type: str
    value: str


class AgUiMessageUserContent2ItemImageSource(_AgUiMessageUserContent2ItemImageSourceRequired, total=False):
    mimeType: str | None


class AgUiMessageUserContent2ItemImage(TypedDict):
    type: Literal["image"]
    source: AgUiMessageUserContent2ItemImageSource | Mapping[str, Any]


class _AgUiMessageUserContent2ItemBinaryRequired(TypedDict):
    type: Literal["binary"]
    mimeType: str


class AgUiMessageUserContent2ItemBinary(_AgUiMessageUserContent2ItemBinaryRequired, total=False):
    url: str | None
    data: str | None


class AgUiMessageUserContent2Item4(TypedDict):
    type: str


class _AgUiMessageUserRequired(TypedDict):
    role: Literal["user"]
    content: str | List[AgUiMessageUserContent2ItemText | Mapping[str, Any] | AgUiMessageUserContent2ItemImage | Mapping[str, Any] | AgUiMessageUserContent2ItemBinary | Mapping[str, Any] | AgUiMessageUserContent2Item4 | Mapping[str, Any]]


class AgUiMessageUser(_AgUiMessageUserRequired, total=False):
    name: str | None


class AgUiMessageAssistantToolCallsItemFunction(TypedDict):
    name: str
    arguments: str


class _AgUiMessageAssistantToolCallsItemRequired(TypedDict):
    id: str
    function: AgUiMessageAssistantToolCallsItemFunction | Mapping[str, Any]


class AgUiMessageAssistantToolCallsItem(_AgUiMessageAssistantToolCallsItemRequired, total=False):
    encryptedValue: str | None
    """Data of the provider. Send it back unchanged with the call."""


class _AgUiMessageAssistantRequired(TypedDict):
    id: str
    role: Literal["assistant"]


class AgUiMessageAssistant(_AgUiMessageAssistantRequired, total=False):
    content: str | None
    toolCalls: List[AgUiMessageAssistantToolCallsItem | Mapping[str, Any]] | None


class AgUiMessageToolContent2ItemText(TypedDict):
    type: Literal["text"]
    text: str


class _AgUiMessageToolContent2ItemImageSourceRequired(TypedDict):
    type: str
    value: str


class AgUiMessageToolContent2ItemImageSource(_AgUiMessageToolContent2ItemImageSourceRequired, total=False):
    mimeType: str | None


class AgUiMessageToolContent2ItemImage(TypedDict):
    type: Literal["image"]
    source: AgUiMessageToolContent2ItemImageSource | Mapping[str, Any]


class _AgUiMessageToolContent2ItemBinaryRequired(TypedDict):
    type: Literal["binary"]
    mimeType: str


class AgUiMessageToolContent2ItemBinary(_AgUiMessageToolContent2ItemBinaryRequired, total=False):
    url: str | None
    data: str | None


class AgUiMessageToolContent2Item4(TypedDict):
    type: str


class AgUiMessageTool(TypedDict):
    role: Literal["tool"]
    toolCallId: str
    content: str | List[AgUiMessageToolContent2ItemText | Mapping[str, Any] | AgUiMessageToolContent2ItemImage | Mapping[str, Any] | AgUiMessageToolContent2ItemBinary | Mapping[str, Any] | AgUiMessageToolContent2Item4 | Mapping[str, Any]]


class AgUiMessage5(TypedDict):
    role: Literal["reasoning", "activity"]


AgUiMessage: TypeAlias = "AgUiMessage2 | Mapping[str, Any] | AgUiMessageUser | Mapping[str, Any] | AgUiMessageAssistant | Mapping[str, Any] | AgUiMessageTool | Mapping[str, Any] | AgUiMessage5 | Mapping[str, Any]"


class ResumeRequest(TypedDict):
    decisions: Dict[str, ApprovalDecision]
    """Call id → `approve`, `deny`, `{ deny }` with the reason, or `{ args }` to approve with changed arguments."""


class ApprovalDecision2(TypedDict, total=False):
    args: Dict[str, Any]


class ApprovalDecision3(TypedDict):
    deny: str
    """Reason of the denial, which the model reads."""


ApprovalDecision: TypeAlias = "Literal['approve', 'deny'] | ApprovalDecision2 | ApprovalDecision3"


class ConnectionTestRequest(TypedDict, total=False):
    provider: Literal["openai", "anthropic", "openrouter", "ollama", "lm-studio", "vllm"]
    """The `id` of a provider with a known address, or the name of one in HUB_PROVIDERS."""
    base_url: str
    """Any other address, such as `http://127.0.0.1:8000/v1`."""
    protocol: ModelProtocol
    """Only with `base_url`. Default: openai-chat."""
    model: str
    """Sends one short question to this model. Without it, only the list of models is read."""


ModelProtocol: TypeAlias = "Literal['openai-chat', 'openai-responses', 'anthropic-messages', 'agent']"


class _JsonRpcCallRequired(TypedDict):
    jsonrpc: Literal["2.0"]
    method: str


class JsonRpcCall(_JsonRpcCallRequired, total=False):
    id: str | int
    params: Dict[str, Any]


class JsonRpcResult(TypedDict):
    jsonrpc: Literal["2.0"]
    id: str | int
    result: Dict[str, Any]


class _JsonRpcFailureErrorRequired(TypedDict):
    code: int
    message: str


class JsonRpcFailureError(_JsonRpcFailureErrorRequired, total=False):
    data: Any


class _JsonRpcFailureRequired(TypedDict):
    jsonrpc: Literal["2.0"]
    error: JsonRpcFailureError


class JsonRpcFailure(_JsonRpcFailureRequired, total=False):
    id: str | int


class AgentReplyAdditionalKwargs(TypedDict):
    refusal: str | None


class AgentReplyResponseMetadataTokenUsage(TypedDict):
    completion_tokens: int
    prompt_tokens: int
    total_tokens: int
    completion_tokens_details: Dict[str, Any] | None
    prompt_tokens_details: Dict[str, Any] | None


class AgentReplyResponseMetadata(TypedDict):
    token_usage: AgentReplyResponseMetadataTokenUsage
    model_name: str
    system_fingerprint: str | None
    id: str
    service_tier: str | None
    finish_reason: str
    logprobs: Dict[str, Any] | None


class AgentReplyToolCallsItem(TypedDict):
    name: str
    args: Dict[str, Any]
    id: str
    type: Literal["tool_call"]


class AgentReplyInvalidToolCallsItem(TypedDict):
    name: str
    args: str
    id: str
    error: str
    type: Literal["invalid_tool_call"]


class AgentReplyUsageMetadata(TypedDict):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_token_details: Dict[str, int]
    output_token_details: Dict[str, int]


class AgentReply(TypedDict):
    content: str
    additional_kwargs: AgentReplyAdditionalKwargs
    response_metadata: AgentReplyResponseMetadata
    type: Literal["ai"]
    name: str | None
    id: str
    example: Literal[False]
    tool_calls: List[AgentReplyToolCallsItem]
    invalid_tool_calls: List[AgentReplyInvalidToolCallsItem]
    usage_metadata: AgentReplyUsageMetadata


class AgentRunSummaryError(TypedDict):
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    detail: str


class _AgentRunSummaryRequired(TypedDict):
    id: str
    state: Literal["running", "waiting", "completed", "failed", "cancelled"]
    wire: Literal["agent", "openai-chat", "openai-responses", "ai-sdk-ui", "ag-ui", "mcp"]
    model_id: str
    model_resolved: str
    thread_id: str | None
    created_at: float
    """Milliseconds since 1970."""
    finished_at: float | None
    duration_ms: float | None
    finish_reason: str | None
    error: AgentRunSummaryError | None
    usage: Usage
    cost: float | None
    model_calls: int
    tool_calls: int


class AgentRunSummary(_AgentRunSummaryRequired, total=False):
    input: str
    """The beginning of the last user message."""


class _UsageRequired(TypedDict):
    input_tokens: int
    output_tokens: int
    total_tokens: int


class Usage(_UsageRequired, total=False):
    cached_tokens: int
    """Input tokens read from the provider's cache."""
    cache_write_tokens: int
    """Input tokens written to the provider's cache."""
    cache_write_1h_tokens: int
    """Tokens written to the cache for an hour, which costs more."""
    reasoning_tokens: int
    """Output tokens used for reasoning."""


StudioModels: TypeAlias = "Dict[str, str]"


class _ChatCompletionChoicesItemMessageRequired(TypedDict):
    role: Literal["assistant"]
    content: str | None
    refusal: str | None


class ChatCompletionChoicesItemMessage(_ChatCompletionChoicesItemMessageRequired, total=False):
    tool_calls: List[OpenAiToolCall]
    reasoning_content: str
    """The model's reasoning, if its provider reports it."""
    reasoning_details: List[Any] | None
    thinking: List[Any] | None


class ChatCompletionChoicesItem(TypedDict):
    index: int
    message: ChatCompletionChoicesItemMessage
    logprobs: Dict[str, Any] | None
    finish_reason: Literal["stop", "length", "tool_calls", "content_filter"]


class _ChatCompletionRequired(TypedDict):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    """The model that answered, as in x-model-resolved."""
    choices: List[ChatCompletionChoicesItem]
    system_fingerprint: str | None


class ChatCompletion(_ChatCompletionRequired, total=False):
    usage: CompletionUsage
    """Sum over all model calls of the run; absent when a provider did not report the tokens of one."""
    metadata: Dict[str, Any]
    """Labels that the model attached to its reply."""


class CompletionUsagePromptTokensDetails(TypedDict, total=False):
    """Present when the provider reports them."""
    cached_tokens: int
    cache_write_tokens: int


class CompletionUsageCompletionTokensDetails(TypedDict):
    """Present when the provider reports them."""
    reasoning_tokens: int


class _CompletionUsageRequired(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionUsage(_CompletionUsageRequired, total=False):
    prompt_tokens_details: CompletionUsagePromptTokensDetails
    """Present when the provider reports them."""
    completion_tokens_details: CompletionUsageCompletionTokensDetails
    """Present when the provider reports them."""


class ResponseBodyError(TypedDict):
    code: str
    message: str


class ResponseBodyIncompleteDetails(TypedDict):
    reason: str


class ResponseBodyConversation(TypedDict):
    id: str


class ResponseBodyUsageInputTokensDetails(TypedDict):
    cached_tokens: int


class ResponseBodyUsageOutputTokensDetails(TypedDict):
    reasoning_tokens: int


class ResponseBodyUsage(TypedDict):
    input_tokens: int
    input_tokens_details: ResponseBodyUsageInputTokensDetails
    output_tokens: int
    output_tokens_details: ResponseBodyUsageOutputTokensDetails
    total_tokens: int


class ResponseBody(TypedDict):
    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
    error: ResponseBodyError | None
    incomplete_details: ResponseBodyIncompleteDetails | None
    instructions: str | None
    max_output_tokens: int | None
    metadata: Dict[str, str]
    model: str
    output: List[ResponseOutputItem]
    parallel_tool_calls: bool
    previous_response_id: str | None
    conversation: ResponseBodyConversation | None
    background: bool
    store: bool
    temperature: float | None
    tool_choice: Any
    tools: List[Any]
    top_p: float | None
    usage: ResponseBodyUsage | None


class ResponseOutputItemReasoningSummaryItem(TypedDict):
    type: Literal["summary_text"]
    text: str


class _ResponseOutputItemReasoningRequired(TypedDict):
    type: Literal["reasoning"]
    id: str
    summary: List[ResponseOutputItemReasoningSummaryItem]
    status: Literal["in_progress", "completed"]


class ResponseOutputItemReasoning(_ResponseOutputItemReasoningRequired, total=False):
    """The model's reasoning, if its provider reports it."""
    encrypted_content: str
    """Opaque data of the provider. Send it back unchanged with the calls that follow."""


class ResponseOutputItemMessageContentItemOutputText(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: List[Any]
    logprobs: List[Any]


class ResponseOutputItemMessageContentItemRefusal(TypedDict):
    type: Literal["refusal"]
    refusal: str


class ResponseOutputItemMessage(TypedDict):
    type: Literal["message"]
    id: str
    role: Literal["assistant"]
    status: Literal["in_progress", "completed"]
    content: List[ResponseOutputItemMessageContentItemOutputText | ResponseOutputItemMessageContentItemRefusal]


class ResponseOutputItemFunctionCall(TypedDict):
    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    status: Literal["in_progress", "completed"]


ResponseOutputItem: TypeAlias = "ResponseOutputItemReasoning | ResponseOutputItemMessage | ResponseOutputItemFunctionCall"


class DeletedResponse(TypedDict):
    id: str
    object: Literal["response"]
    deleted: Literal[True]


class OpenAiModelList(TypedDict):
    object: Literal["list"]
    data: List[OpenAiModel]


class _OpenAiModelRequired(TypedDict):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    """`fine-tuned`, `hub` or `alias`."""


class OpenAiModel(_OpenAiModelRequired, total=False):
    name: str
    """Name of a fine-tuned model."""


class AgentRunList(TypedDict):
    runs: List[AgentRunSummary]
    next_cursor: str | None


class AgentRunDetailsError(TypedDict):
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    detail: str


class _AgentRunDetailsRequired(TypedDict):
    id: str
    state: Literal["running", "waiting", "completed", "failed", "cancelled"]
    wire: Literal["agent", "openai-chat", "openai-responses", "ai-sdk-ui", "ag-ui", "mcp"]
    model_id: str
    model_resolved: str
    thread_id: str | None
    created_at: float
    """Milliseconds since 1970."""
    finished_at: float | None
    duration_ms: float | None
    finish_reason: str | None
    error: AgentRunDetailsError | None
    usage: Usage
    cost: float | None
    model_calls: int
    tool_calls: int
    text: str | None
    """The last message; null until there is one."""
    message: AgentReply | None
    """The whole response, once there is one, of a run that was started with `Prefer: respond-async`."""
    log: List[AgentRunEntry]


class AgentRunDetails(_AgentRunDetailsRequired, total=False):
    input: str
    """The beginning of the last user message."""


class _AgentRunEntryRunStartClientToolsItemRequired(TypedDict):
    name: str
    description: str
    parameters: Dict[str, Any]


class AgentRunEntryRunStartClientToolsItem(_AgentRunEntryRunStartClientToolsItemRequired, total=False):
    strict: bool


class _AgentRunEntryRunStartRequired(TypedDict):
    type: Literal["run-start"]
    at: float
    """Milliseconds since 1970."""
    owner: str | None
    wire: Literal["agent", "openai-chat", "openai-responses", "ai-sdk-ui", "ag-ui", "mcp"]
    request_id: str
    model_id: str
    """The requested model, before it was resolved."""
    model_resolved: str
    thread_id: str | None
    messages: List[RecordedMessage]
    tools: List[str]
    """Names of the agent's own tools offered to the model."""
    client_tools: List[AgentRunEntryRunStartClientToolsItem]


class AgentRunEntryRunStart(_AgentRunEntryRunStartRequired, total=False):
    recovered: Literal[True]
    """The process of the run ended, and another one finishes it from here. The steps that were complete follow again,
    with their stored results.
    """


class AgentRunEntryRunResume(TypedDict):
    type: Literal["run-resume"]
    at: float
    """Milliseconds since 1970."""
    decisions: Dict[str, ApprovalDecision]


class AgentRunEntryModelCall(TypedDict):
    type: Literal["model-call"]
    at: float
    """Milliseconds since 1970."""
    call: int
    """Counted from 1."""
    duration_ms: float
    model_resolved: str
    reply: RecordedReply | None
    """null when the run ended during the call, because its time limit was reached or the client disconnected."""


class AgentRunEntryToolCall(TypedDict):
    type: Literal["tool-call"]
    at: float
    """Milliseconds since 1970."""
    id: str
    name: str
    args: Dict[str, Any]
    ok: bool
    result: str
    duration_ms: float


class AgentRunEntryRunEndError(TypedDict):
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    detail: str


class _AgentRunEntryRunEndRequired(TypedDict):
    type: Literal["run-end"]
    at: float
    """Milliseconds since 1970."""
    state: Literal["running", "waiting", "completed", "failed", "cancelled"]
    model_resolved: str
    finish_reason: str | None
    text: str | None
    error: AgentRunEntryRunEndError | None
    usage: Usage
    cost: float | None
    model_calls: int
    tool_calls: int
    duration_ms: float


class AgentRunEntryRunEnd(_AgentRunEntryRunEndRequired, total=False):
    waiting_calls: List[str]
    """Ids of the calls that wait for approval."""
    message: AgentReply
    """The response, of a run that was started with `Prefer: respond-async`."""


AgentRunEntry: TypeAlias = "AgentRunEntryRunStart | AgentRunEntryRunResume | AgentRunEntryModelCall | AgentRunEntryToolCall | AgentRunEntryRunEnd"


class _RecordedMessageSystemRequired(TypedDict):
    role: Literal["system"]
    content: str


class RecordedMessageSystem(_RecordedMessageSystemRequired, total=False):
    name: str


class _RecordedMessageUserRequired(TypedDict):
    role: Literal["user"]
    content: str


class RecordedMessageUser(_RecordedMessageUserRequired, total=False):
    name: str
    images: int
    """Number of images in the message. They are not stored."""


RecordedMessageAssistantToolCallsItemEcho = TypedDict("RecordedMessageAssistantToolCallsItemEcho", {"from": "str", "call": "Dict[str, Any]", "message": "Dict[str, Any]"}, total=False)


class _RecordedMessageAssistantToolCallsItemRequired(TypedDict):
    id: str
    name: str
    arguments: str


class RecordedMessageAssistantToolCallsItem(_RecordedMessageAssistantToolCallsItemRequired, total=False):
    echo: RecordedMessageAssistantToolCallsItemEcho
    """Opaque data that the provider expects back with the call."""


class _RecordedMessageAssistantRequired(TypedDict):
    role: Literal["assistant"]
    content: str


class RecordedMessageAssistant(_RecordedMessageAssistantRequired, total=False):
    tool_calls: List[RecordedMessageAssistantToolCallsItem]
    name: str


class _RecordedMessageToolRequired(TypedDict):
    role: Literal["tool"]
    content: str
    tool_call_id: str


class RecordedMessageTool(_RecordedMessageToolRequired, total=False):
    name: str


RecordedMessage: TypeAlias = "RecordedMessageSystem | RecordedMessageUser | RecordedMessageAssistant | RecordedMessageTool"


RecordedReply2ToolCallsItemEcho = TypedDict("RecordedReply2ToolCallsItemEcho", {"from": "str", "call": "Dict[str, Any]", "message": "Dict[str, Any]"}, total=False)


class _RecordedReply2ToolCallsItemRequired(TypedDict):
    id: str
    name: str
    arguments: str


class RecordedReply2ToolCallsItem(_RecordedReply2ToolCallsItemRequired, total=False):
    echo: RecordedReply2ToolCallsItemEcho
    """Opaque data that the provider expects back with the call."""


class RecordedReply2Usage(TypedDict):
    prompt_tokens: float
    completion_tokens: float
    total_tokens: float
    prompt_tokens_details: Dict[str, Any] | None
    completion_tokens_details: Dict[str, Any] | None


class _RecordedReply2Required(TypedDict):
    ok: Literal[True]
    text: str
    refusal: str | None
    tool_calls: List[RecordedReply2ToolCallsItem]
    finish_reason: str
    usage: RecordedReply2Usage | None
    model: str
    completion_id: str
    system_fingerprint: str | None
    service_tier: str | None
    logprobs: Dict[str, Any] | None
    metadata: Dict[str, Any] | None
    latency_ms: float
    first_token_ms: float | None
    tries: float


class RecordedReply2(_RecordedReply2Required, total=False):
    reasoning: str


class _RecordedReply22ErrorRequired(TypedDict):
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    detail: str
    upstream_status: float | None
    tries: float
    retryable: bool


class RecordedReply22Error(_RecordedReply22ErrorRequired, total=False):
    retry_after_ms: float
    refuses_tools: Literal[True]
    """The endpoint does not support tools."""
    too_many_tools: Literal[True]
    """The endpoint supports tools, but fewer."""
    refuses_format: Literal[True]
    """The endpoint does not support structured output."""
    refuses_content: Literal[True]
    """A content filter of the endpoint rejected the conversation."""
    lacks_credit: Literal[True]
    """The account at the endpoint has no credit."""
    unreadable_call: Literal[True]
    """The provider could not parse the model's tool call."""


class RecordedReply22(TypedDict):
    ok: Literal[False]
    error: RecordedReply22Error
    latency_ms: float


RecordedReply: TypeAlias = "RecordedReply2 | RecordedReply22"


class AgentReplay(TypedDict):
    run_id: str
    matches: bool
    """True when the current agent takes the recorded steps and reaches the recorded result."""
    divergences: List[str]
    """The differences, in order."""
    finish_reason: str | None
    text: str | None
    """The last message of the replay; null when it ended without one."""
    model_calls: int
    tool_calls: int


class _ScenarioRequired(TypedDict):
    id: str
    description: str
    interactions: List[Interaction]
    tags: List[str]


class Scenario(_ScenarioRequired, total=False):
    system_prompt: str
    metadata: Metadata
    """Anything else about the scenario. Kept with it and never scored. A variant's system prompt may name a value as
    `{{name}}`; otherwise it is not sent.
    """
    world: World
    """Tools to act on, with a state of their own for every attempt."""
    tool_matching: ToolMatching
    """Rules for comparing tool calls. Default: those of the run."""
    expect: Expectation
    """Requirements of the whole conversation, scored as `outcome`."""
    user: SimulatedUser
    """A model that plays the user, instead of scripted turns or after them."""


class _InteractionRequired(TypedDict):
    id: str
    user_message: str
    agent_reply: str
    """Filled in by the service. In a request it is ignored, unless its `protocol` is `recorded`. Default: ""."""
    reference_reply: str
    """The expected reply. Without one, the reply gets no similarity scores. Default: ""."""
    interaction_type: str
    reference_metadata: Metadata
    """Default: {}."""
    generated_metadata: Metadata
    """Ignored in a request; filled in by the service. Default: {}."""


class Interaction(_InteractionRequired, total=False):
    prompt: str
    """Sent in place of `user_message`: another wording of it, whose runs can be compared."""
    tool_calls: List[RecordedToolCall]
    """The tool calls of a recorded `agent_reply`. Ignored unless the request's `protocol` is `recorded`."""
    context: List[str | ContextPassage]
    """Retrieved passages: what a recorded reply was based on, or what a reply should be based on. Scored and shown,
    never sent. Passages that the agent returns itself take their place.
    """
    references: List[str]
    """Further acceptable replies; the best match counts."""
    reference_tool_calls: List[ReferenceToolCall]
    """The tool calls expected in this turn. An empty list: none."""
    checks: List[TurnCheck]
    """Checks of the reply to this turn, in addition to those of the run."""
    simulated: Literal[True]
    """Set for the turns of a simulated user, whose messages are not known before the run."""


class _RecordedToolCallRequired(TypedDict):
    id: str
    name: str
    arguments: Any
    """The arguments, usually an object; the text itself when it is not valid JSON."""


class RecordedToolCall(_RecordedToolCallRequired, total=False):
    arguments_error: str
    """Why the text in `arguments` is not valid JSON."""
    arguments_unknown: Literal[True]
    """Set when the agent reported the call without arguments; `arguments` is then null."""
    result: Any
    """Absent when the call failed or its result is unknown."""
    error: str
    """Why the call failed."""
    ms: float
    """Duration of the call in milliseconds, if known."""
    source: Literal["spans"]
    """Set when only the spans of the agent show the call."""


class _ContextPassageRequired(TypedDict):
    text: str


class ContextPassage(_ContextPassageRequired, total=False):
    id: str
    source: str
    """The document that it is from: a name or an address."""
    score: float
    """Its rank in the search, in the scale of the retriever."""


class _ReferenceToolCallRequired(TypedDict):
    name: str


class ReferenceToolCall(_ReferenceToolCallRequired, total=False):
    arguments: Dict[str, ExpectedValue]
    """Expected arguments. Absent: any."""


ExpectedValue: TypeAlias = "Any"
"""JSON that is compared by value, with matchers at any depth: {"$any": true}, {"$one_of": […]}, {"$regex": "…"},
{"$text": "…"} (ignores case and white space), {"$number": {"value": 1, "tolerance": 0.1}}, {"$contains": …},
{"$schema": {…}}, {"$absent": true}, {"$literal": …} (compared as it is).
"""


Metadata: TypeAlias = "Dict[str, Any]"


TurnCheck: TypeAlias = "ContainsSetting | EqualsSetting | SimilaritySetting | RegexSetting | JsonSchemaSetting | NumericSetting | LengthSetting | LatencySetting | CostSetting | EditDistanceSetting | XmlSetting | FinishReasonSetting | ToolArgumentsSetting | JavaScriptSetting | PythonSetting | RubricSetting | GroupSetting"


class _ContainsSettingRequired(TypedDict):
    type: Literal["contains"]
    text: str | List[str]
    mode: Literal["all", "any", "none"]
    """Default: "all"."""
    ignore_case: bool
    """Default: true."""


class ContainsSetting(_ContainsSettingRequired, total=False):
    """1 when the reply contains the texts."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""


class _CodeTransformRequired(TypedDict):
    language: Literal["javascript", "python"]


class CodeTransform(_CodeTransformRequired, total=False):
    code: str
    """An expression, or a function body that returns a value."""
    file: str
    """A module of JavaScript, TypeScript or Python."""
    function: str
    """The function of the file. Default: its usual one."""


class _EqualsSettingRequired(TypedDict):
    type: Literal["equals"]
    negate: bool
    """Scores 1 when the reply is any other text. Default: false."""
    text: str
    ignore_case: bool
    """Default: false."""


class EqualsSetting(_EqualsSettingRequired, total=False):
    """1 when the reply is exactly this text."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""


class _SimilaritySettingRequired(TypedDict):
    type: Literal["similarity"]
    metric: Literal["token_f1", "rouge_l", "edit_similarity", "chrf", "rouge_1", "bleu", "gleu", "semantic"]
    """`semantic` is the cosine of the embeddings; absent without an embedder."""


class SimilaritySetting(_SimilaritySettingRequired, total=False):
    """Similarity of the reply to a reference by a built-in score; with a threshold, 1 from the threshold on and 0
    below.
    """
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    reference: str | List[str]
    """Default: the reference replies; the best match counts."""
    threshold: float


class _RegexSettingRequired(TypedDict):
    type: Literal["regex"]
    negate: bool
    """Scores 1 when the pattern is not found. Default: false."""
    pattern: str
    ignore_case: bool
    """Default: false."""


class RegexSetting(_RegexSettingRequired, total=False):
    """1 when the pattern (RE2 syntax) is found in the reply."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""


class _JsonSchemaSettingRequired(TypedDict):
    type: Literal["json_schema"]
    schema: Dict[str, Any]


class JsonSchemaSetting(_JsonSchemaSettingRequired, total=False):
    """1 when the reply is JSON that matches the schema; a fenced code block is unwrapped first."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    anywhere: bool
    """Also accepts JSON inside other text."""


class _NumericSettingRequired(TypedDict):
    type: Literal["numeric"]
    tolerance: float
    """Default: 0."""
    relative: bool
    """Makes the tolerance a share of the expected number. Default: false."""


class NumericSetting(_NumericSettingRequired, total=False):
    """1 when a number in the reply is within the tolerance of the expected one."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    expected: float
    """Default: the first number in the reference reply."""


class _LengthSettingRequired(TypedDict):
    type: Literal["length"]
    unit: Literal["characters", "words"]
    """Default: "characters"."""


class LengthSetting(_LengthSettingRequired, total=False):
    """1 when the reply's length is within the bounds."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    min: int
    max: int


class _LatencySettingRequired(TypedDict):
    type: Literal["latency"]
    max_ms: float
    of: Literal["reply", "first_token"]
    """Default: "reply"."""


class LatencySetting(_LatencySettingRequired, total=False):
    """1 when the reply took at most `max_ms`."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""


class _CostSettingRequired(TypedDict):
    type: Literal["cost"]
    max: float
    """US dollars per call."""


class CostSetting(_CostSettingRequired, total=False):
    """1 when the call cost at most `max`. Absent when the price is unknown."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""


class _EditDistanceSettingRequired(TypedDict):
    type: Literal["edit_distance"]
    reference: str
    max: int


class EditDistanceSetting(_EditDistanceSettingRequired, total=False):
    """1 when at most `max` insertions, deletions and replacements of characters turn the reply into the text."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""


class _XmlSettingRequired(TypedDict):
    type: Literal["xml"]


class XmlSetting(_XmlSettingRequired, total=False):
    """1 when the reply is well-formed XML with these elements, each a path such as `order.id`."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    elements: List[str]
    anywhere: bool
    """Also accepts XML inside other text."""


class _FinishReasonSettingRequired(TypedDict):
    type: Literal["finish_reason"]
    reason: str


class FinishReasonSetting(_FinishReasonSettingRequired, total=False):
    """1 when the model ended its reply for this reason. Absent when the endpoint gave none."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""


class _ToolArgumentsSettingRequired(TypedDict):
    type: Literal["valid_tool_calls"]


class ToolArgumentsSetting(_ToolArgumentsSettingRequired, total=False):
    """1 when the reply calls tools, each with arguments that fit the tool's declared parameters."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""


class _JavaScriptSettingRequired(TypedDict):
    type: Literal["javascript"]


class JavaScriptSetting(_JavaScriptSettingRequired, total=False):
    """The value that JavaScript of the user's own gives to the reply."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    code: str
    """An expression, or a function body that returns a value."""
    file: str
    """A module of JavaScript, TypeScript or Python."""
    function: str
    """The function of the file. Default: its usual one."""
    threshold: float
    """1 from this value of the code on, and 0 below."""
    vars: Dict[str, Any]
    """Values for the code, as `context.vars`."""
    config: Any
    """Settings for the code, as `context.config`."""


class _PythonSettingRequired(TypedDict):
    type: Literal["python"]


class PythonSetting(_PythonSettingRequired, total=False):
    """The value that Python of the user's own gives to the reply."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    code: str
    """An expression, or a function body that returns a value."""
    file: str
    """A module of JavaScript, TypeScript or Python."""
    function: str
    """The function of the file. Default: its usual one."""
    threshold: float
    """1 from this value of the code on, and 0 below."""
    vars: Dict[str, Any]
    """Values for the code, as `context.vars`."""
    config: Any
    """Settings for the code, as `context.config`."""


class _RubricSettingRequired(TypedDict):
    type: Literal["rubric"]
    text: str


class RubricSetting(_RubricSettingRequired, total=False):
    """A question about the reply for the run's judge. Absent when the run has no judge of single replies."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    transform: List[CodeTransform]
    """Code that changes the reply before it is checked. Only files on the machine of the run may bring it."""
    negate: bool
    """Scores 1 minus the value."""
    choices: Choices
    """The answers the judge may give. Default: pass 1, partial 0.5, fail 0."""
    threshold: float
    """1 from this value on, and 0 below."""


Choices: TypeAlias = "Dict[str, float]"


class _GroupSettingRequired(TypedDict):
    type: Literal["group"]
    checks: List[ContainsSetting | EqualsSetting | SimilaritySetting | RegexSetting | JsonSchemaSetting | NumericSetting | LengthSetting | LatencySetting | CostSetting | EditDistanceSetting | XmlSetting | FinishReasonSetting | ToolArgumentsSetting | JavaScriptSetting | PythonSetting | RubricSetting]


class GroupSetting(_GroupSettingRequired, total=False):
    """The weighted mean of several checks; with a threshold, 1 from the threshold on and 0 below."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    threshold: float


class _WorldRecordedItemRequired(TypedDict):
    name: str
    arguments: Any
    """The arguments, usually an object; the text itself when it is not valid JSON."""


class WorldRecordedItem(_WorldRecordedItemRequired, total=False):
    arguments_unknown: Literal[True]
    """Set when the agent reported the call without arguments; `arguments` is then null."""
    result: Any
    """Absent when the call failed or its result is unknown."""
    error: str
    """Why the call failed."""


class _WorldRequired(TypedDict):
    tools: List[WorldTool]
    """Default: []."""


class World(_WorldRequired, total=False):
    state: Any
    """Default: an empty object."""
    state_file: str
    """A JSON or YAML file with the state, read when a run begins. Only in files and configuration, never in an HTTP
    request.
    """
    recorded: List[WorldRecordedItem]
    """Recorded calls that answer tools without `answers`: the next unused one with the same name and arguments."""
    module: str
    """A module with functions as tools, which are listed in `tools` when a run begins. Only in files and
    configuration, never in an HTTP request.
    """
    module_version: str
    """Identifies the module's tools and initial state in a stored run. Set by the command that starts it."""
    faults: List[WorldFault]
    """Disturbances of the calls, the same for an attempt of a scenario in every run."""
    max_steps: int
    """Model calls with tools in one turn; then the model must answer without. Default 20."""


class _WorldToolRequired(TypedDict):
    name: str
    description: str
    """Default: ""."""
    parameters: Dict[str, Any]
    """JSON Schema of the arguments."""


class WorldTool(_WorldToolRequired, total=False):
    answers: List[WorldAnswer]


class WorldAnswer(TypedDict, total=False):
    when: Dict[str, ExpectedValue]
    """Matchers by argument. Absent: any arguments."""
    result: Any
    error: str
    """The message of a failed call, given instead of a result."""
    set: Dict[str, Any]
    """Values to write into the state, by pointer."""
    remove: List[str]
    """Pointers to remove from the state."""
    delay_ms: int
    """Wait before the answer."""


class _WorldFaultRequired(TypedDict):
    tool: str
    """The tool whose calls are disturbed; `*` for all."""


class WorldFault(_WorldFaultRequired, total=False):
    probability: float
    on_call: int | List[int]
    """The numbers of the calls of the tool in an attempt, from 1."""
    error: str
    """The call fails with this error, and changes nothing."""
    delay_ms: int
    """A wait before the answer."""
    truncate: int
    """The result is cut after so many characters."""
    stale: Literal[True]
    """The result is that of the initial state."""
    inject: str
    """A text that is added to the result, such as an instruction."""


class ToolMatching(TypedDict, total=False):
    order: Literal["any", "strict"]
    """`strict`: in the order of the references. Default `any`."""
    extra: Literal["allow", "forbid"]
    """Whether calls without a reference are wrong. Default `allow`."""
    extra_arguments: Literal["allow", "forbid"]
    """Whether arguments that the reference does not name are wrong. Default `forbid`."""
    text: Literal["exact", "loose"]
    """`loose` ignores case, punctuation and white space in texts. Default `exact`."""


class ExpectationBeforeItem(TypedDict):
    first: str | ReferenceToolCall
    later: str | ReferenceToolCall


class Expectation(TypedDict, total=False):
    state: Dict[str, ExpectedValue]
    """Expected values of the final state, by JSON pointer."""
    state_after: List[ReferenceToolCall]
    """The final state must equal the state after these calls in a fresh world."""
    said: List[ExpectedValue]
    """Each text must occur in a reply, ignoring case; a matcher must match a whole reply."""
    must_call: List[str | ReferenceToolCall]
    must_not_call: List[str | ReferenceToolCall]
    before: List[ExpectationBeforeItem]
    """`later` may be called only after a successful call of `first`."""
    max_calls: int | Dict[str, int]
    """Maximum number of calls in total, or by tool."""
    code: List[StateCode]
    """Code that gets the final state as `output`: each must return true. Only files may bring it."""
    rubric: str
    """A question about the conversation for the judge."""
    checks: Literal["all"]
    """Every check of the turns must pass, and the expected tool calls must be made. Weight 0 does not count."""


class _StateCodeRequired(TypedDict):
    language: Literal["javascript", "python"]


class StateCode(_StateCodeRequired, total=False):
    code: str
    """An expression, or a function body that returns a value."""
    file: str
    """A module of JavaScript, TypeScript or Python."""
    function: str
    """The function of the file. Default: its usual one."""
    vars: Dict[str, Any]
    """Values for the code, as `context.vars`."""


class _SimulatedUserRequired(TypedDict):
    goal: str
    """What the user wants, in the words of the scenario's author."""
    max_turns: int
    """Messages of the simulated user at most. A conversation that runs out of them has `outcome` 0. Default 10."""


class SimulatedUser(_SimulatedUserRequired, total=False):
    persona: str
    """Who the user is and how they write."""
    knows: Dict[str, str | float | bool] | str
    """The facts that the user has, by name: `{ order_id: "1042" }`. A message that contradicts one is a failure of the
    simulator. A text is given to the simulator as it is.
    """
    opening: str
    """The first simulated message, sent exactly so. Default: the simulator begins."""
    recorded: List[List[str]]
    """Messages of earlier conversations, one list per attempt, which are sent instead of asking a simulator. Further
    attempts begin with the first list again.
    """


class AgentThreadList(TypedDict):
    threads: List[AgentThreadSummary]
    next_cursor: str | None


class AgentThreadSummary(TypedDict):
    id: str
    created_at: float
    """Milliseconds since 1970."""
    updated_at: float


class AgentThread(TypedDict):
    id: str
    messages: List[ThreadMessage]
    created_at: float
    """Milliseconds since 1970."""
    updated_at: float


class ThreadMessageHuman(TypedDict):
    type: Literal["human"]
    content: str


class _ThreadMessageAiRequired(TypedDict):
    type: Literal["ai"]
    content: str


class ThreadMessageAi(_ThreadMessageAiRequired, total=False):
    tool_calls: List[MessageToolCall] | None


class _ThreadMessageToolRequired(TypedDict):
    type: Literal["tool"]
    content: str


class ThreadMessageTool(_ThreadMessageToolRequired, total=False):
    name: str | None
    tool_call_id: str | None


class ThreadMessageSystem(TypedDict):
    type: Literal["system"]
    content: str


ThreadMessage: TypeAlias = "ThreadMessageHuman | ThreadMessageAi | ThreadMessageTool | ThreadMessageSystem"


class AgentUpstreamsRoutesItem(TypedDict):
    model: str
    running: int
    waiting: int


class AgentUpstreamsToolSupportItem(TypedDict):
    provider: str
    model_id: str
    mode: Literal["native", "prompted"]
    found_at: float
    """Milliseconds since 1970."""


class _AgentUpstreamsRequired(TypedDict):
    breakers: List[UpstreamBreaker]
    routes: List[AgentUpstreamsRoutesItem]
    """Models with a concurrency limit and calls in progress."""
    tool_support: List[AgentUpstreamsToolSupportItem]
    """`prompted`: the endpoint does not support tools, so they are described in the prompt."""


class AgentUpstreams(_AgentUpstreamsRequired, total=False):
    providers: List[UpstreamProvider]


class UpstreamProviderLastError(TypedDict):
    code: str
    detail: str
    at: float


class UpstreamProvider(TypedDict):
    name: str
    """The provider part of x-model-id, or `hub`, `fine-tuned` or `demo`."""
    kind: Literal["hub", "fine-tuned", "demo"]
    origin: str | None
    """null for models that run in this process."""
    health: Literal["ok", "failing", "unknown"]
    """Result of the last call; `unknown` before the first."""
    calls: int
    failures: int
    last_call_at: float | None
    """Milliseconds since 1970."""
    last_error: UpstreamProviderLastError | None


class UpstreamBreaker(TypedDict):
    origin: str
    key: str
    """The model, which fails independently of others at the same origin."""
    state: str
    calls: int
    failures: int
    retry_after_ms: float


class LocalServersServersItem(TypedDict):
    kind: Literal["ollama", "lm-studio", "llama.cpp", "vllm"]
    base_url: str
    """Use it as `endpoint` of an evaluation or as HUB_BASE_URL."""
    models: List[str]
    needs_key: bool
    """True when the server requires a key to list its models."""


class LocalServers(TypedDict):
    servers: List[LocalServersServersItem]


class ModelProviderList(TypedDict):
    providers: List[ModelProvider]
    hub: bool
    """True when HUB_BASE_URL is set: it serves all other `<provider>/<model>`."""
    hub_providers_set: bool
    """True when HUB_PROVIDERS is set: a further provider is added to it."""


class ModelProvider(TypedDict):
    id: str
    """The part of x-model-id before the slash, once the provider is connected."""
    name: str
    base_url: str | None
    """null when every account or installation has its own."""
    protocol: ModelProtocol
    key_variable: str | None
    """The variable that holds its key; null when it needs none."""
    key_set: bool
    """True when that variable is set."""
    connected: bool
    """True when the agent serves its models as `<id>/<model>`."""


class ConnectionTestError(TypedDict):
    code: str
    detail: str
    hint: str


class ConnectionTest(TypedDict):
    ok: bool
    base_url: str
    duration_ms: float
    models: List[str]
    """The provider's own names, at most 2,000; empty with `model`."""
    reply: str | None
    """The model's answer, with `model`."""
    error: ConnectionTestError | None


class _JsonRpcErrorErrorRequired(TypedDict):
    code: int
    message: str


class JsonRpcErrorError(_JsonRpcErrorErrorRequired, total=False):
    data: Any


class JsonRpcError(TypedDict):
    jsonrpc: Literal["2.0"]
    id: str | float | None
    error: JsonRpcErrorError


class _PageConfigRequired(TypedDict):
    evaluation: str
    """Origin of the evaluation service."""
    version: str
    demo: bool
    """True when the built-in demo models are enabled."""
    hub_models: List[str]
    """Hub models known by name, for the model picker."""
    limits: List[PageLimit]
    """Limits of the services."""
    keys_required: bool
    """True when requests need an API key."""


class PageConfig(_PageConfigRequired, total=False):
    demo_models: Dict[str, str]
    """Names and UUIDs of the fine-tuned demo models, even when they are disabled, because their runs remain."""


class PageLimit(TypedDict):
    name: str
    meaning: str
    value: float


class _HealthRequired(TypedDict):
    status: Literal["ok"]


class Health(_HealthRequired, total=False):
    detail: str
    """Describes a part that does not work. Requests that do not need it are served."""


class _ProblemRequired(TypedDict):
    type: str
    title: str
    status: int
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    detail: str
    instance: str
    request_id: str
    retryable: bool
    hint: str


class Problem(_ProblemRequired, total=False):
    errors: List[FieldProblem]
    suggestions: List[str]


class _FieldProblemRequired(TypedDict):
    pointer: str
    """RFC 6901 pointer into the body, or `/name` of a query parameter."""
    code: str
    message: str


class FieldProblem(_FieldProblemRequired, total=False):
    received: str


class OpenAiErrorError(TypedDict):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAiError(TypedDict):
    error: OpenAiErrorError
