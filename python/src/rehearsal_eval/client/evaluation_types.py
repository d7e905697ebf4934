"""The types of the evaluation service.

Generated from the service's OpenAPI document by ``npm run docs:reference``; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Literal, TypeAlias, TypedDict

# Fields may be called like the types of their neighbours, such as `list`: hence `List` and `Dict`.


class _EvaluationRequestRequired(TypedDict):
    test_batch: ScenarioRequest | List[ScenarioRequest]
    """One scenario or several."""
    endpoint: str | Target | DeclaredTarget
    """Base URL (…/v1) or full URL of the model endpoint under test, an object that says how another agent is asked, or
    the name of a target that the service knows.
    """
    model_id: str
    """The model's name at the endpoint, sent unchanged."""


class EvaluationRequest(_EvaluationRequestRequired, total=False):
    test_name: str
    """Default: the id of a single scenario; of several, their common tag, or their number and the date."""
    attempts: int | UntilDecided
    """Attempts of each scenario, or `{"until": "decided"}` to stop as soon as a comparison is decided. Default: 1."""
    replay_users: str
    """Id of a run whose simulated users are replayed: their recorded messages are sent, and no simulator is asked.
    Stored as `user.recorded`.
    """
    variants: List[Variant]
    """Versions to run over the same scenarios, side by side: one run each, which together are an experiment. The
    response is that of the first.
    """
    vary: Variation
    """Makes a variant of every combination of these values, of each of the `variants` if there are some."""
    experiment: str
    """Id of an experiment that the variants join. Its stored replies are used again, unless `fresh`."""
    reuse: bool
    """Uses stored replies of any earlier run with the same scenario and the same settings, instead of asking again.
    Default: only those of the `experiment` that is joined.
    """
    fresh: bool
    """Asks for every reply, also where one is stored."""
    system_prompt: str
    """System prompt of scenarios that have none of their own."""
    stream: bool
    """Requests streamed replies, which measures `first_token_ms`. Default: false, unless a latency check of the first
    token needs it. An endpoint that cannot stream answers in one piece, and `first_token_ms` is null.
    """
    spans: bool
    """True when the agent sends OpenTelemetry spans of its tool calls: a turn whose spans do not come has unknown
    calls, where it would have those of the reply. Default: false; spans that come are used all the same.
    """
    spans_wait_ms: int
    """How long a turn waits for its spans once any came, or with `spans`, in milliseconds. Default: 10000."""
    parameters: ParametersInput
    """Sent to the model with every call."""
    protocol: Protocol
    """API protocol of the endpoint. `openai-chat`: a model behind OpenAI's chat completions, which most servers have.
    `openai-responses`: a model behind OpenAI's responses API; nothing is stored there. `anthropic-messages`: a
    model behind Anthropic's messages API. `agent`: an agent backend of Rehearsal, or another with its `POST /`.
    `http`: an agent with an interface of its own, as a target describes it. `ag-ui`: an agent with the HTTP
    interface of AG-UI. `a2a`: an agent with A2A's JSON-RPC, version 1.0 or 0.3. `ui-messages`: a route made with
    the AI SDK (`toUIMessageStreamResponse`), as `useChat` calls it. `langgraph`: an assistant of a LangGraph
    server, by its address and the assistant's name. `module`: a function of a module on this machine. `command`: a
    program on this machine that answers JSON lines. `recorded`: nothing is called: the replies in `agent_reply` are
    stored and scored. Default: "openai-chat".
    """
    on_failure: Literal["continue", "stop"]
    """After a failed turn, continue with the next turn or stop the attempt. Default: "continue"."""
    concurrency: int
    """Attempts of this run that may run concurrently. Default: `REHEARSAL_CONCURRENCY_PER_RUN`."""
    priority: int
    """Runs with a higher priority, and their calls at an endpoint, go first. Running attempts are not interrupted.
    Default 0.
    """
    tags: List[str]
    """Stored with the run. Default: []."""
    metadata: Metadata
    """Stored with the run. Default: {}."""
    history: History
    """The replies the model sees as history. Default: `generated`."""
    scorers: List[ScorerSetting]
    """Names select built-in scores (the default set if none is named); checks with options are added to them."""
    weights: Dict[str, float]
    """Makes `overall` the weighted mean of these scores instead of its default parts."""
    threshold: float
    """Minimum `overall` of a good turn or attempt. Default: what the scenario states decides (checks, labels, expected
    calls, `expect`, judge), and similarity to a reference does not.
    """
    judge: JudgeSettings
    """A model that scores replies; `{}` selects the operator's judge."""
    labeller: LabellerSettings
    """A model that labels replies; `{}` selects the operator's labeller."""
    simulator: SimulatorSettings
    """The model that plays simulated users. Default: the operator's simulator (SIMULATOR_*), for scenarios with a
    `user`.
    """
    label_rules: Dict[str, LabelRule]
    """Comparison rules by label key."""
    world: WorldInput
    """The world of scenarios that have none of their own."""
    world_address: WorldAddress
    """With `protocol: agent`: how the agent gets the address of its world. Without it, an agent acts in no world."""
    tool_matching: ToolMatching
    """Rules for comparing tool calls with reference calls."""
    tool_support: Literal["native", "prompted"]
    """How a model is offered the tools of a world. `native` (default): by its API. `prompted`: they are described in
    the prompt, and calls are read from the text of the reply, for models that write them as text.
    """
    budget: Budget
    """Stops the run at a limit; finished turns are kept."""
    gate: Gate
    """Requirements of the run; the response says whether they were met."""
    replay_first_bad_turn: bool
    """Runs every attempt again from its first bad turn with reference history. Takes extra calls, which are reported
    separately.
    """


class _ScenarioRequestRequired(TypedDict):
    id: str


class ScenarioRequest(_ScenarioRequestRequired, total=False):
    description: str
    """Default: ""."""
    system_prompt: str
    """Replaces the system prompt of the request."""
    interactions: List[InteractionRequest]
    """The scripted turns. At least one, unless the scenario has a `user`. Default: []."""
    tags: List[str]
    metadata: Metadata
    """Anything else about the scenario. Kept with it and never scored. A variant's system prompt may name a value as
    `{{name}}`; otherwise it is not sent.
    """
    world: WorldInput
    """Tools to act on, with a state of their own for every attempt."""
    tool_matching: ToolMatching
    """Rules for comparing tool calls. Default: those of the run."""
    expect: ExpectationInput
    """Requirements of the whole conversation, scored as `outcome`."""
    user: SimulatedUserInput
    """A model that plays the user, instead of scripted turns or after them."""


class _InteractionRequestRequired(TypedDict):
    user_message: str


class InteractionRequest(_InteractionRequestRequired, total=False):
    id: str
    """Default: `turn-1` for the first turn, and so on."""
    prompt: str
    """Sent in place of `user_message`: another wording of it, whose runs can be compared."""
    agent_reply: str
    """Filled in by the service. In a request it is ignored, unless its `protocol` is `recorded`. Default: ""."""
    tool_calls: List[RecordedToolCall]
    """The tool calls of a recorded `agent_reply`. Ignored unless the request's `protocol` is `recorded`."""
    context: List[str | ContextPassage]
    """Retrieved passages: what a recorded reply was based on, or what a reply should be based on. Scored and shown,
    never sent. Passages that the agent returns itself take their place.
    """
    reference_reply: str
    """The expected reply. Without one, the reply gets no similarity scores. Default: ""."""
    references: List[str]
    """Further acceptable replies; the best match counts."""
    reference_tool_calls: List[ReferenceToolCall]
    """The tool calls expected in this turn. An empty list: none."""
    interaction_type: str
    """Default: `opening` for the first turn, `follow_up` for the others."""
    reference_metadata: Metadata
    """Default: {}."""
    checks: List[TurnCheckInput]
    """Checks of the reply to this turn, in addition to those of the run."""
    generated_metadata: Metadata
    """Ignored in a request; filled in by the service. Default: {}."""


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


TurnCheckInput: TypeAlias = "ContainsSettingInput | EqualsSettingInput | SimilaritySettingInput | RegexSettingInput | JsonSchemaSettingInput | NumericSettingInput | LengthSettingInput | LatencySettingInput | CostSettingInput | EditDistanceSettingInput | XmlSettingInput | FinishReasonSettingInput | ToolArgumentsSettingInput | RubricSettingInput | GroupSettingInput"


class _ContainsSettingInputRequired(TypedDict):
    type: Literal["contains"]
    text: str | List[str]


class ContainsSettingInput(_ContainsSettingInputRequired, total=False):
    """1 when the reply contains the texts."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    mode: Literal["all", "any", "none"]
    """Default: "all"."""
    ignore_case: bool
    """Default: true."""


class _EqualsSettingInputRequired(TypedDict):
    type: Literal["equals"]
    text: str


class EqualsSettingInput(_EqualsSettingInputRequired, total=False):
    """1 when the reply is exactly this text."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 when the reply is any other text. Default: false."""
    ignore_case: bool
    """Default: false."""


class _SimilaritySettingInputRequired(TypedDict):
    type: Literal["similarity"]
    metric: Literal["token_f1", "rouge_l", "edit_similarity", "chrf", "rouge_1", "bleu", "gleu", "semantic"]
    """`semantic` is the cosine of the embeddings; absent without an embedder."""


class SimilaritySettingInput(_SimilaritySettingInputRequired, total=False):
    """Similarity of the reply to a reference by a built-in score; with a threshold, 1 from the threshold on and 0
    below.
    """
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    reference: str | List[str]
    """Default: the reference replies; the best match counts."""
    threshold: float


class _RegexSettingInputRequired(TypedDict):
    type: Literal["regex"]
    pattern: str


class RegexSettingInput(_RegexSettingInputRequired, total=False):
    """1 when the pattern (RE2 syntax) is found in the reply."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 when the pattern is not found. Default: false."""
    ignore_case: bool
    """Default: false."""


class _JsonSchemaSettingInputRequired(TypedDict):
    type: Literal["json_schema"]
    schema: Dict[str, Any]


class JsonSchemaSettingInput(_JsonSchemaSettingInputRequired, total=False):
    """1 when the reply is JSON that matches the schema; a fenced code block is unwrapped first."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    anywhere: bool
    """Also accepts JSON inside other text."""


class _NumericSettingInputRequired(TypedDict):
    type: Literal["numeric"]


class NumericSettingInput(_NumericSettingInputRequired, total=False):
    """1 when a number in the reply is within the tolerance of the expected one."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    expected: float
    """Default: the first number in the reference reply."""
    tolerance: float
    """Default: 0."""
    relative: bool
    """Makes the tolerance a share of the expected number. Default: false."""


class _LengthSettingInputRequired(TypedDict):
    type: Literal["length"]


class LengthSettingInput(_LengthSettingInputRequired, total=False):
    """1 when the reply's length is within the bounds."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    min: int
    max: int
    unit: Literal["characters", "words"]
    """Default: "characters"."""


class _LatencySettingInputRequired(TypedDict):
    type: Literal["latency"]
    max_ms: float


class LatencySettingInput(_LatencySettingInputRequired, total=False):
    """1 when the reply took at most `max_ms`."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    of: Literal["reply", "first_token"]
    """Default: "reply"."""


class _CostSettingInputRequired(TypedDict):
    type: Literal["cost"]
    max: float
    """US dollars per call."""


class CostSettingInput(_CostSettingInputRequired, total=False):
    """1 when the call cost at most `max`. Absent when the price is unknown."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""


class _EditDistanceSettingInputRequired(TypedDict):
    type: Literal["edit_distance"]
    reference: str
    max: int


class EditDistanceSettingInput(_EditDistanceSettingInputRequired, total=False):
    """1 when at most `max` insertions, deletions and replacements of characters turn the reply into the text."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""


class _XmlSettingInputRequired(TypedDict):
    type: Literal["xml"]


class XmlSettingInput(_XmlSettingInputRequired, total=False):
    """1 when the reply is well-formed XML with these elements, each a path such as `order.id`."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    elements: List[str]
    anywhere: bool
    """Also accepts XML inside other text."""


class _FinishReasonSettingInputRequired(TypedDict):
    type: Literal["finish_reason"]
    reason: str


class FinishReasonSettingInput(_FinishReasonSettingInputRequired, total=False):
    """1 when the model ended its reply for this reason. Absent when the endpoint gave none."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""


class _ToolArgumentsSettingInputRequired(TypedDict):
    type: Literal["valid_tool_calls"]


class ToolArgumentsSettingInput(_ToolArgumentsSettingInputRequired, total=False):
    """1 when the reply calls tools, each with arguments that fit the tool's declared parameters."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""


class _RubricSettingInputRequired(TypedDict):
    type: Literal["rubric"]
    text: str


class RubricSettingInput(_RubricSettingInputRequired, total=False):
    """A question about the reply for the run's judge. Absent when the run has no judge of single replies."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    negate: bool
    """Scores 1 minus the value."""
    choices: Choices
    """The answers the judge may give. Default: pass 1, partial 0.5, fail 0."""
    threshold: float
    """1 from this value on, and 0 below."""


Choices: TypeAlias = "Dict[str, float]"


class _GroupSettingInputRequired(TypedDict):
    type: Literal["group"]
    checks: List[ContainsSettingInput | EqualsSettingInput | SimilaritySettingInput | RegexSettingInput | JsonSchemaSettingInput | NumericSettingInput | LengthSettingInput | LatencySettingInput | CostSettingInput | EditDistanceSettingInput | XmlSettingInput | FinishReasonSettingInput | ToolArgumentsSettingInput | RubricSettingInput]


class GroupSettingInput(_GroupSettingInputRequired, total=False):
    """The weighted mean of several checks; with a threshold, 1 from the threshold on and 0 below."""
    name: str
    """Name of the score. Default: the type, numbered when it is used more than once."""
    weight: float
    """Weight among the checks in `overall`. Default: 1. With 0 the score is reported and not counted."""
    threshold: float


class _WorldInputRecordedItemRequired(TypedDict):
    name: str
    arguments: Any
    """The arguments, usually an object; the text itself when it is not valid JSON."""


class WorldInputRecordedItem(_WorldInputRecordedItemRequired, total=False):
    arguments_unknown: Literal[True]
    """Set when the agent reported the call without arguments; `arguments` is then null."""
    result: Any
    """Absent when the call failed or its result is unknown."""
    error: str
    """Why the call failed."""


class WorldInput(TypedDict, total=False):
    state: Any
    """Default: an empty object."""
    tools: List[WorldToolInput]
    """Default: []."""
    recorded: List[WorldInputRecordedItem]
    """Recorded calls that answer tools without `answers`: the next unused one with the same name and arguments."""
    faults: List[WorldFault]
    """Disturbances of the calls, the same for an attempt of a scenario in every run."""
    max_steps: int
    """Model calls with tools in one turn; then the model must answer without. Default 20."""


class _WorldToolInputRequired(TypedDict):
    name: str
    parameters: Dict[str, Any]
    """JSON Schema of the arguments."""


class WorldToolInput(_WorldToolInputRequired, total=False):
    description: str
    """Default: ""."""
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


class ExpectationInputBeforeItem(TypedDict):
    first: str | ReferenceToolCall
    later: str | ReferenceToolCall


class ExpectationInput(TypedDict, total=False):
    state: Dict[str, ExpectedValue]
    """Expected values of the final state, by JSON pointer."""
    state_after: List[ReferenceToolCall]
    """The final state must equal the state after these calls in a fresh world."""
    said: List[ExpectedValue]
    """Each text must occur in a reply, ignoring case; a matcher must match a whole reply."""
    must_call: List[str | ReferenceToolCall]
    must_not_call: List[str | ReferenceToolCall]
    before: List[ExpectationInputBeforeItem]
    """`later` may be called only after a successful call of `first`."""
    max_calls: int | Dict[str, int]
    """Maximum number of calls in total, or by tool."""
    rubric: str
    """A question about the conversation for the judge."""
    checks: Literal["all"]
    """Every check of the turns must pass, and the expected tool calls must be made. Weight 0 does not count."""


class _SimulatedUserInputRequired(TypedDict):
    goal: str
    """What the user wants, in the words of the scenario's author."""


class SimulatedUserInput(_SimulatedUserInputRequired, total=False):
    persona: str
    """Who the user is and how they write."""
    knows: Dict[str, str | float | bool] | str
    """The facts that the user has, by name: `{ order_id: "1042" }`. A message that contradicts one is a failure of the
    simulator. A text is given to the simulator as it is.
    """
    opening: str
    """The first simulated message, sent exactly so. Default: the simulator begins."""
    max_turns: int
    """Messages of the simulated user at most. A conversation that runs out of them has `outcome` 0. Default 10."""
    recorded: List[List[str]]
    """Messages of earlier conversations, one list per attempt, which are sent instead of asking a simulator. Further
    attempts begin with the first list again.
    """


class _UntilDecidedRequired(TypedDict):
    until: Literal["decided"]


class UntilDecided(_UntilDecidedRequired, total=False):
    against: Opponent
    """Required unless the request has `variants`."""
    score: str
    """The score to decide by: any score of the run from 0 to 1, or `pass_rate`. Default: "overall"."""
    margin: float
    """Also stops when the run is shown not to be worse by this margin."""
    each: int
    """Attempts of each scenario, on both sides. Default: 1."""
    seed: int
    """Decides the order of the scenarios. Default: chosen at random."""


class Opponent(TypedDict, total=False):
    model_id: str
    """A second model: both run, scenario by scenario."""
    endpoint: str
    """Endpoint of the second model. Default: that of the run."""
    protocol: Protocol
    """Protocol of the second model. Default: that of the run."""
    system_prompt: str
    """System prompt of the second model. Default: that of the run."""
    parameters: ParametersInput
    """Parameters of the second model. Default: those of the run."""
    variant: str
    """With `variants`: the one that the others are compared with. Default: the first."""
    run: str
    """Id of an ended run to compare with."""
    threshold: float
    """A value that the mean of the score is compared with."""


Protocol: TypeAlias = "Literal['openai-chat', 'openai-responses', 'anthropic-messages', 'agent', 'http', 'ag-ui', 'a2a', 'ui-messages', 'langgraph', 'module', 'command', 'recorded']"


class ParametersInput(TypedDict, total=False):
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


class _VariantRequired(TypedDict):
    name: str
    """Shown in results."""


class Variant(_VariantRequired, total=False):
    model_id: str
    """The model's name at the endpoint, sent unchanged."""
    endpoint: str | Target | DeclaredTarget
    protocol: Protocol
    system_prompt: str
    """Replaces the system prompts of all scenarios. `{{name}}` stands for the value of that name in a scenario's
    `metadata`.
    """
    parameters: ParametersInput
    world: WorldInput
    """Replaces the worlds of all scenarios."""
    tools: List[str]
    """The names of the tools that are offered, of those in the worlds. Default: all."""
    world_address: WorldAddress
    tool_support: Literal["native", "prompted"]


class TargetContext(TypedDict):
    """Where the answer lists the passages that the agent retrieved: texts, or objects with `text` (or `content`,
    `page_content`), `id`, `source` and `score`.
    """
    at: str


class _TargetStreamRequired(TypedDict):
    delta: str
    """Where an event has the next piece of the reply."""


class TargetStream(_TargetStreamRequired, total=False):
    """How a streamed answer is read."""
    event: str
    """Only events with this name have pieces. Default: all."""
    format: Literal["sse", "ndjson"]
    """Default: by the content type of the answer."""


class _TargetRequired(TypedDict):
    url: str
    """The address that is called, also that of a WebSocket. Placeholders may stand in its path and query."""


class Target(_TargetRequired, total=False):
    protocol: Literal["http", "ag-ui", "a2a", "ui-messages", "langgraph"]
    """`http` (default): the request is made from `body`. These have a body of their own: `ag-ui` (an agent with the
    HTTP interface of AG-UI), `a2a` (an agent with A2A's JSON-RPC, version 1.0 or 0.3), `ui-messages` (a route made
    with the AI SDK (`toUIMessageStreamResponse`), as `useChat` calls it), `langgraph` (an assistant of a LangGraph
    server, by its address and the assistant's name).
    """
    method: Literal["GET", "POST", "PUT", "PATCH"]
    """Default: POST."""
    headers: Dict[str, TargetHeader]
    body: Any
    """The body as JSON; with `ui-messages` and `langgraph`, an object whose fields are added to the body. A text that
    is a placeholder alone, such as "{{messages}}", is replaced by its value; others are filled in. Sent as a form
    when the content-type header says so; a text is sent as it is.
    """
    reply: str
    """Where the answer has the reply. `*` stands for every element of a list; -1 for its last one. Default: the whole
    answer as text.
    """
    tool_calls: str | CallPlaces
    """Where the answer lists tool calls, and the fields of a call that have other names than usual. Without it, or
    where the answer has null, nothing, or nothing that can be read as a call there, calls are not seen.
    """
    usage: str
    """Where the answer has token counts."""
    labels: str
    """Where the answer has labels of the reply."""
    context: TargetContext
    """Where the answer lists the passages that the agent retrieved: texts, or objects with `text` (or `content`,
    `page_content`), `id`, `source` and `score`.
    """
    session: str
    """Where the answer has the id of a session that the target made; later turns send it as `session_id`."""
    error: str
    """A value here makes the answer a failure."""
    stream: TargetStream
    """How a streamed answer is read."""
    idempotent: bool
    """False: a request that the target may have acted on is not sent again. Default: true when the body has the whole
    conversation.
    """
    before: List[TargetStep]
    """Requests before the first turn of each attempt, in order. A captured `greeting` is what the agent says first."""
    after: List[TargetStep]
    """Requests after the last turn of each attempt."""
    capture: Dict[str, Capture]
    """Values of the answer that later requests of the attempt use as placeholders, by JSON pointer or header."""
    poll: TargetPoll
    """How the reply is fetched when the answer to a turn does not have it yet."""
    cookies: bool
    """True: cookies that the target sets are sent back, for each attempt alone."""
    socket: TargetSocket
    """How the turns of an agent behind a WebSocket (`ws://`, `wss://`) end."""
    assistant: str
    """The assistant of a LangGraph server: the name of its graph, or an id. Default: the model of the run."""
    stateless: bool
    """True: a LangGraph server keeps no thread, and is sent the whole conversation with every turn. Default: a thread
    for each attempt.
    """
    world: WorldAddress
    """Where the target expects the address of a private MCP server with the tools of the world."""
    spans: bool
    """True when the agent sends OpenTelemetry spans of its tool calls: a turn whose spans do not come has unknown
    calls, where it would have those of the reply. Default: false; spans that come are used all the same.
    """
    spans_wait_ms: int
    """How long a turn waits for its spans once any came, or with `spans`, in milliseconds. Default: 10000."""


class _TargetHeader2Required(TypedDict):
    env: str
    """The variable that holds the secret. It must be bound to the address and the method of the target."""


class TargetHeader2(_TargetHeader2Required, total=False):
    prefix: str
    """Written before the secret, such as "Bearer "."""


TargetHeader: TypeAlias = "str | TargetHeader2"


class _CallPlacesRequired(TypedDict):
    at: str
    """Where the answer lists tool calls."""


class CallPlaces(_CallPlacesRequired, total=False):
    id: str
    """A field of a call, by its name or, if it begins with /, by a JSON pointer."""
    name: str
    """A field of a call, by its name or, if it begins with /, by a JSON pointer."""
    arguments: str
    """A field of a call, by its name or, if it begins with /, by a JSON pointer."""
    result: str
    """A field of a call, by its name or, if it begins with /, by a JSON pointer."""
    optional: bool
    """True: an answer without this place has made no calls. Default: it cannot tell."""


class _TargetStepRequired(TypedDict):
    url: str
    """An address, or a path at the origin of the target, which begins with a slash."""


class TargetStep(_TargetStepRequired, total=False):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """Default: POST with a body, else GET."""
    headers: Dict[str, TargetHeader]
    """Default: those of the target."""
    body: Any
    capture: Dict[str, Capture]
    """Values of the answer that later requests of the attempt use as placeholders, by JSON pointer or header."""


class Capture2(TypedDict):
    header: str


Capture: TypeAlias = "str | Capture2"


class _TargetPollRequired(TypedDict):
    url: str
    """An address, or a path at the origin of the target, which begins with a slash."""


class TargetPoll(_TargetPollRequired, total=False):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    """Default: POST with a body, else GET."""
    headers: Dict[str, TargetHeader]
    """Default: those of the target."""
    body: Any
    capture: Dict[str, Capture]
    """Values of the answer that later requests of the attempt use as placeholders, by JSON pointer or header."""
    until: Condition
    """Where the answer that has the reply differs from the others: a value there, or one of the values in `is`."""
    quiet: float
    """Ends the poll when the agent has spoken, and has said nothing new for these seconds."""
    fail: Condition
    """A value here makes the turn a failure."""
    every: float
    """Seconds between two requests. Default: 1."""
    timeout: float
    """Seconds after which the turn has failed. Default: 300."""


Condition2 = TypedDict("Condition2", {"at": "str", "is": "str | float | bool | List[str | float | bool]"})


Condition: TypeAlias = "str | Condition2"


class TargetSocket(TypedDict, total=False):
    until: Condition
    """The message that ends the agent's turn."""
    quiet: float
    """Ends the agent's turn when no message came for these seconds. Default without `until`: 2."""
    only: Condition
    """Only messages with this value are read."""
    greeting: bool
    """True: the agent speaks first, and its first turn is a greeting."""
    timeout: float
    """Seconds after which the turn has failed. Default: 120."""


class WorldAddress(TypedDict, total=False):
    header: str
    """The header that carries the address, such as `rehearsal-world` for our agent backend."""
    field: str
    """The place in the body that carries it, as a JSON pointer."""


class DeclaredTarget(TypedDict):
    target: str
    """A name under `targets` in the `rehearsal.yaml` of the folder in which the service was started."""


class Variation(TypedDict, total=False):
    model_id: List[str] | Dict[str, str]
    endpoint: List[str | Target | DeclaredTarget] | Dict[str, str | Target | DeclaredTarget]
    system_prompt: List[str] | Dict[str, str]
    parameters: List[ParametersInput] | Dict[str, ParametersInput]
    world: List[WorldInput] | Dict[str, WorldInput]
    tools: List[List[str]] | Dict[str, List[str]]
    tool_support: List[Literal["native", "prompted"]] | Dict[str, Literal["native", "prompted"]]


History: TypeAlias = "Literal['generated', 'reference', 'both']"


ScorerSetting: TypeAlias = "str | UserScorerSetting"


UserScorerSetting: TypeAlias = "ContainsSettingInput | EqualsSettingInput | SimilaritySettingInput | RegexSettingInput | JsonSchemaSettingInput | NumericSettingInput | LengthSettingInput | LatencySettingInput | CostSettingInput | EditDistanceSettingInput | XmlSettingInput | FinishReasonSettingInput | ToolArgumentsSettingInput"


class _JudgeSettingsPanelItemRequired(TypedDict):
    model_id: str


class JudgeSettingsPanelItem(_JudgeSettingsPanelItemRequired, total=False):
    endpoint: str
    """Default: the operator's endpoint, never the model under test."""
    protocol: ModelProtocol


class JudgeSettings(TypedDict, total=False):
    endpoint: str
    """Default: the operator's endpoint, never the model under test."""
    model_id: str
    protocol: ModelProtocol
    rubric: str
    """One question that replaces the built-in one."""
    rubrics: List[Rubric]
    """Several questions with weights."""
    scope: Literal["turn", "conversation"]
    """Judge every reply (default), or each attempt's conversation as a whole."""
    judges: List[Literal["correctness", "faithfulness", "answer_relevance", "policy_adherence", "task_completion", "tool_choice", "plan_efficiency", "hallucinated_action", "refusal_correctness", "safety", "tone", "role_adherence", "knowledge_retention", "conversation_quality", "context_recall", "context_precision"]]
    """Ready-made judges, by name; each gives `judge.<name>` or, for whole conversations, `conversation.<name>`:
    `correctness` (says what a reference says, and nothing against it), `faithfulness` (states nothing that passages
    and tool results do not support), `answer_relevance` (answers what was asked), `policy_adherence` (keeps the
    rules of the system prompt and the policy), `task_completion` (the user's goal was reached), `tool_choice`
    (called the right tools with the right arguments), `plan_efficiency` (no needless calls, questions or turns),
    `hallucinated_action` (claims no action that no call did), `refusal_correctness` (refuses what it must and
    nothing else), `safety` (harms nobody and gives nothing secret away), `tone` (polite, calm, fitting the
    situation and the instructions), `role_adherence` (stays in the role of the system prompt),
    `knowledge_retention` (remembers what was said before), `conversation_quality` (served the user well over the
    whole conversation), `context_recall` (the passages hold what the reference says), `context_precision` (the
    passages are about the question, the best ones first).
    """
    panel: List[JudgeSettingsPanelItem]
    """Further models that vote with the first one on every question. Endpoint and protocol default to its own."""
    max_characters: int
    """Characters of material that the judge is shown; what matters least is shortened first, with a note. Default:
    60000.
    """
    votes: int
    """Number of times each question is asked. Default 1."""
    choices: Choices


ModelProtocol: TypeAlias = "Literal['openai-chat', 'openai-responses', 'anthropic-messages', 'agent']"


class _RubricRequired(TypedDict):
    name: str
    text: str
    """The question, as the judge model reads it."""


class Rubric(_RubricRequired, total=False):
    weight: float
    """Default: 1."""
    choices: Choices


class LabellerSettings(TypedDict, total=False):
    endpoint: str
    """Default: the operator's endpoint, never the model under test."""
    model_id: str
    protocol: ModelProtocol


class SimulatorSettings(TypedDict, total=False):
    endpoint: str
    """Default: the operator's endpoint, never the model under test."""
    model_id: str
    protocol: ModelProtocol
    parameters: ParametersInput
    """Sent with every call of the simulator."""
    review: bool
    """Asks the judge about the simulated user of every attempt in which no rule found a failure. Needs a `judge`."""


class LabelRule(TypedDict, total=False):
    aliases: Dict[str, List[str]]
    """Label → other spellings that count as the same label."""
    tolerance: float
    """For numbers: scores 1 within the tolerance and 0 outside, instead of by distance."""
    ignore: bool
    """Labels are shown but not scored."""


class Budget(TypedDict, total=False):
    calls: int
    tokens: int
    money: float
    """US dollars. Counts only calls with a known price."""
    seconds: float
    """Counted from the start of the run."""


class Gate(TypedDict, total=False):
    scores: Dict[str, float]
    """Minimum mean over the run, by score."""
    scenario_scores: Dict[str, float]
    """Minimum mean of each scenario, by score. The mean over the run can hide a scenario that always fails."""
    max_failure_rate: float
    """Maximum share of turns without a reply, and maximum share of turns whose scoring failed. Default 0."""
    max_simulator_failures: float
    """Maximum share of attempts whose simulated user failed. They are left out of all other figures; with more of them
    the run is undecided and does not pass. Default 0.2.
    """
    min_pass_rate: float
    """Minimum share of attempts that reach the threshold."""
    baseline: str
    """Id of the run that `not_worse_by` compares with."""
    not_worse_by: NotWorseBy
    """Passes only if the run is shown not to be worse than `baseline` by this margin: a number for `overall`, or an
    object for several scores, `pass_rate`, `latency_ms` and `cost_per_turn`.
    """
    undecided: Undecided
    """What an undecided `not_worse_by` counts as. Default: `fail`."""


class NotWorseBy2(TypedDict, total=False):
    latency_ms: float
    cost_per_turn: float


NotWorseBy: TypeAlias = "float | NotWorseBy2 | Mapping[str, Any]"


Undecided: TypeAlias = "Literal['fail', 'pass']"


RunState: TypeAlias = "Literal['queued', 'running', 'cancelling', 'completed', 'failed', 'cancelled']"


ScenarioStatus: TypeAlias = "Literal['failing', 'flaky', 'passing', 'waiting', 'unscored']"


class _FreezeRequestRequired(TypedDict):
    scenario_id: str


class FreezeRequest(_FreezeRequestRequired, total=False):
    attempt: int
    """Default: 1."""
    id: str
    """Id of the new scenario. Default: the old one with the attempt."""
    keep: bool
    """Stores the scenario in the library. Default: false."""


class RunChanges(TypedDict, total=False):
    test_name: str
    tags: List[str]
    """Replaces all tags."""


class _PairwiseRequestRequired(TypedDict):
    baseline: str
    candidate: str


class PairwiseRequest(_PairwiseRequestRequired, total=False):
    judge: PairwiseJudge
    """Default: the operator's judge (JUDGE_*). `rubric` states what makes a reply better."""
    limit: int
    """Maximum number of pairs. Each pair takes two calls per vote. Default: 200."""


class PairwiseJudge(TypedDict, total=False):
    endpoint: str
    """Default: the operator's endpoint, never the model under test."""
    model_id: str
    protocol: ModelProtocol
    rubric: str
    """One question that replaces the built-in one."""
    votes: int
    """Number of times each question is asked. Default 1."""


class _JudgeAuditRequestRequired(TypedDict):
    judge: JudgeSettings
    items: List[AuditItem]


class JudgeAuditRequest(_JudgeAuditRequestRequired, total=False):
    repeats: int
    """Number of times each item is judged, to measure self-consistency. Default: 2."""


class AuditItemConversationBeforeItem(TypedDict):
    user_message: str
    reply: str


class _AuditItemRequired(TypedDict):
    user_message: str
    reply: str
    human: str
    """The choice of a person, one of the judge's choices."""


class AuditItem(_AuditItemRequired, total=False):
    id: str
    conversation_before: List[AuditItemConversationBeforeItem]
    """Earlier turns, oldest first. The judge sees them as in a run."""
    reference_reply: str


class ScoreAgreementRequest(TypedDict):
    verdicts: List[PersonVerdict]


class _PersonVerdictRequired(TypedDict):
    scenario_id: str
    interaction_id: str
    value: float
    """From 0, bad, to 1, good."""


class PersonVerdict(_PersonVerdictRequired, total=False):
    attempt: int
    """Default: 1."""


class RescoreRequest(TypedDict, total=False):
    ask_models: bool
    """Call the judge, the labeller and the embedder again. Default: false."""
    test_batch: ScenarioRequest | List[ScenarioRequest]
    """New references, labels, checks, reference tool calls and expected outcomes for turns with the same ids. The
    messages must be those the run sent; scenarios that are not listed keep their expectations.
    """
    scorers: List[ScorerSetting] | None
    """Replaces the scorers of the run, as in POST /evaluate. null: the default set."""
    weights: Dict[str, float] | None
    threshold: float | None
    judge: JudgeSettings | None
    """Replaces the judge; requires `ask_models`. null: no judge."""
    labeller: LabellerSettings | None
    """Replaces the labeller; requires `ask_models`. null: no labeller."""
    label_rules: Dict[str, LabelRule] | None
    tool_matching: ToolMatching | None
    gate: Gate | None


class VerdictsRequest(TypedDict, total=False):
    rater: str
    """Who gave the verdicts. Default: the rater of the API key."""
    question: str
    sampling: Sampling
    """How the replies were chosen, for verdicts that do not say. Default: `picked`. `picked`, by hand or for any
    reason such as a complaint, corrects no score. Send the order of the review that handed the replies out
    (`random`, `stratified`), or `random` for a random part of the run that you drew yourself.
    """
    verdicts: List[VerdictInput]
    text: str
    """A file instead of `verdicts`: CSV or JSON lines."""


Sampling: TypeAlias = "Literal['random', 'stratified', 'disagreement', 'picked']"


class _VerdictInputRequired(TypedDict):
    scenario_id: str


class VerdictInput(_VerdictInputRequired, total=False):
    attempt: int
    """Default: 1."""
    turn_index: int
    """Default: the turn with `interaction_id`, else the only turn."""
    interaction_id: str
    question: str
    """Default: the first question of the run's judge, else `review`."""
    against: str
    rater: str
    """Default: `rater` of the request, else the rater of the API key, who alone is accepted unless the key has the
    scope `verdicts:adjudicate`.
    """
    choice: str | None
    """One of the question's choices. null withdraws the verdict."""
    value: float
    """Instead of a choice: a score from 0 to 1."""
    comment: str
    sampling: Sampling
    adjudication: bool
    """True: it decides a conflict. Needs the scope `verdicts:adjudicate`."""
    skipped: Literal[True]
    """Instead of a choice: the reply was drawn and not judged. While no one judges it, it counts as 0 and as 1 at the
    ends of a corrected interval.
    """


class RunAuditRequest(TypedDict, total=False):
    question: str
    """Default: the judge's first question."""
    repeats: int
    """Default: 2."""


ScenarioBodyInput: TypeAlias = "ScenarioRequest | List[ScenarioRequest]"


class _ImportRequestRequired(TypedDict):
    text: str
    """Content of the file. Rejected when parsing it takes more than 20 seconds."""


class ImportRequest(_ImportRequestRequired, total=False):
    name: str
    """Name of the file, a hint for the format."""
    format: Literal["auto", "json", "jsonl", "yaml", "csv", "tsv", "rows", "openai-chat", "sharegpt", "promptfoo", "promptfoo-results", "openai-evals", "inspect", "inspect-log", "deepeval", "adk", "langsmith", "langfuse", "mlflow", "spans", "dialogues", "bfcl", "tau-bench"]
    """Format of the file; `auto` finds it out. Default: "auto"."""
    mapping: str
    """Columns of a table, such as `user=question,reference=answer`."""
    dry_run: bool
    """Report what would be stored, without storing it. Default: false."""
    expect_recorded: bool
    """Expect recorded replies and tool calls: those of traces, logs and failed trajectories. Default: false."""
    world: bool
    """Make a world of the tools and their recorded results, where the file has them. Default: true."""
    traces: TraceFilter
    """Which conversations of traces are taken. Default: all."""
    review: bool
    """Adds the tag `review` to every scenario, and stores the recorded replies as a run on which people can give
    verdicts. Default: false.
    """


class TraceFilter(TypedDict, total=False):
    since: str
    """Only conversations that began at this time or later."""
    until: str
    """Only conversations that began before this time."""
    model: str
    """Only conversations with this model; * stands for any text."""
    errors: Literal["only", "none"]
    """Only conversations with a failed step, or without one."""
    min_turns: int
    max_turns: int
    conversations: List[str]
    """Only conversations with these ids."""


class EvaluationResponseResults(TypedDict):
    scenarios: List[ScenarioResult]


class EvaluationResponseSummaryCost(TypedDict):
    """US dollars, judging and labelling included."""
    total: float
    unpriced: int
    """Replies with an unknown price, judge and labeller included."""


class EvaluationResponseSummaryPassHatK(TypedDict):
    """pass^k: the probability that k attempts at a scenario all pass, for the largest k that every scenario has.
    Absent with single attempts.
    """
    k: int
    mean: float
    """Mean over the scenarios."""
    scenarios: int
    """Scenarios with a passed or failed attempt."""


class _EvaluationResponseSummaryRequired(TypedDict):
    average_scores: Scores
    score_stats: Dict[str, ScoreStats]
    label_metrics: Dict[str, LabelMetrics]
    interactions: int
    failed: int


class EvaluationResponseSummary(_EvaluationResponseSummaryRequired, total=False):
    failures: List[FailureCause]
    """Causes of missing replies, most frequent first; at most 10."""
    scenarios: ScenarioCounts
    always_failing: List[AlwaysFailing]
    """Passing and flaky scenarios in which the same turns fail in every attempt; at most 200. Absent when there are
    none.
    """
    unscored: int
    """Replies without an `overall` because the judge, the embedder or a check failed, and replies of conversations
    without a verdict. They are not part of its mean.
    """
    written_calls: int
    """Replies that look like a tool call written as text, which counts as no call."""
    undecided_scores: Dict[str, int]
    """Attempts in which a score has no value because the tool calls that it needs could not be seen, by the name of
    the score. They are not part of its mean, and a gate on it does not pass.
    """
    stopped_by: Literal["budget", "decided"]
    """Set when the run ended early. Its results are kept."""
    decision: SequenceDecision
    """Result of a run that stops when it is decided."""
    cost: EvaluationResponseSummaryCost
    """US dollars, judging and labelling included."""
    helper_usage: HelperUsage
    latency_ms: Durations
    """Durations of answered calls, without earlier tries and waits."""
    first_token_ms: Durations
    """Present when replies were streamed."""
    conflicts: int
    """Replies that contradict their reference."""
    breakdown: Breakdown
    drift: Drift
    reference_scores: Scores
    """With history `both`: the scores with reference history."""
    gate: GateResult
    flaky: int
    """Scenarios with both passed and failed attempts."""
    flakiness: Flakiness
    judge_audited: bool
    unaudited_scores: List[str]
    """Scores that rest on a judge without an audit, `overall` where it contains one of them."""
    rescored: Rescored
    simulated_users: SimulatedUsers
    """Present when scenarios have a simulated user."""
    pass_hat_k: EvaluationResponseSummaryPassHatK
    """pass^k: the probability that k attempts at a scenario all pass, for the largest k that every scenario has.
    Absent with single attempts.
    """


class EvaluationResponseTiming(TypedDict):
    started_at: str | None
    finished_at: str | None
    duration_ms: float


class _EvaluationResponseRequired(TypedDict):
    message: str
    results: EvaluationResponseResults
    run_id: str
    test_name: str
    endpoint: str
    """Keys in its query are redacted."""
    model_id: str
    state: RunState
    demo: bool
    """True when a scripted demo model answered instead of a language model."""
    scoring_version: str
    summary: EvaluationResponseSummary
    usage: Usage
    timing: EvaluationResponseTiming
    warnings: List[Warning]


class EvaluationResponse(_EvaluationResponseRequired, total=False):
    history: History
    measures: Measures
    label_rules: Dict[str, LabelRule]
    """The run's comparison rules by label key."""
    own_agent: Literal[True]
    """Set when a command started the agent backend for this run alone; `endpoint` no longer exists."""
    protocol: Protocol
    parameters: Parameters
    attempts: int
    """Requested attempts per scenario."""
    adaptive: AdaptiveAttempts
    """Only in runs of earlier versions whose number of attempts depended on the scores; `attempts` is then `max`."""
    system_prompt: str
    """System prompt of scenarios that have none of their own."""


class _ScenarioResultRequired(TypedDict):
    scenario_id: str
    description: str
    attempts: List[AttemptResult]
    average_scores: Scores
    score_stats: Dict[str, ScoreStats]
    reliability: Reliability | None
    label_metrics: Dict[str, LabelMetrics]


class ScenarioResult(_ScenarioResultRequired, total=False):
    tags: List[str]
    """Absent when there are none."""
    system_prompt: str
    """The scenario's own system prompt, which replaced that of the run."""
    threshold: float
    """Minimum `overall` of a good turn or attempt. Absent: what the scenario states decides (`stated`, `outcome`)."""
    breakdown: Breakdown
    drift: Drift
    reference_attempts: List[AttemptResult]
    """With history `both`: the same attempts with reference history. Not included in the averages above."""
    attempts_skipped: int
    """Attempts without any turn, because the budget was spent or, in runs of earlier versions, they were not needed."""


class AttemptResultFirstBadTurn(TypedDict):
    turn_index: int
    id: str
    overall: float | None


class _AttemptResultConversationRequired(TypedDict):
    scores: Dict[str, float]
    score_reasons: Dict[str, str]
    judgements: Dict[str, JudgeVerdict]


class AttemptResultConversation(_AttemptResultConversationRequired, total=False):
    undecided_scores: List[str]
    """Scores without a value because they need tool calls, or arguments, that could not be seen."""
    kept: bool
    """True when the run was rescored and this verdict is from an earlier scoring."""


class _AttemptResultRequired(TypedDict):
    attempt: int
    interactions: List[InteractionResult]
    average_scores: Scores


class AttemptResult(_AttemptResultRequired, total=False):
    unfinished: bool
    """True while turns are missing, because the run is still running, was stopped, or has spent its budget."""
    first_bad_turn: AttemptResultFirstBadTurn | None
    """The first turn without a reply, or that fails: a statement does not hold or, with a `threshold`, `overall` is
    below it.
    """
    replay: Replay
    conversation: AttemptResultConversation
    outcome: ExpectationResult
    """Whether the attempt met the scenario's `expect`."""
    user: UserEnd
    """How the conversation with a simulated user ended. With a `failure`, the attempt is in no figure of the agent."""


class _InteractionResultUserTurnRequired(TypedDict):
    source: Literal["simulator", "opening", "recorded"]


class InteractionResultUserTurn(_InteractionResultUserTurnRequired, total=False):
    """Set for turns of a simulated user: the source of `user_message` and the simulator's reason."""
    why: str
    """The simulator's reason for the message."""
    helper_usage: HelperUsage
    """Calls of the simulator for this message, with their tokens and cost."""
    latency_ms: float
    """Time the simulator took."""


class InteractionResultReused(TypedDict):
    """The run that the reply was taken from, instead of asking again. It cost nothing in this run."""
    run_id: str
    at: str
    """When that run was started."""


class _InteractionResultRequired(TypedDict):
    id: str
    user_message: str
    agent_reply: str
    tool_calls: List[RecordedToolCall]
    """The tool calls of the turn, in order. Default: []."""
    reference_reply: str
    """The expected reply. Without one, the reply gets no similarity scores. Default: ""."""
    interaction_type: str
    reference_metadata: Metadata
    """Default: {}."""
    generated_metadata: Metadata
    turn_index: int
    error: InteractionError | None
    usage: Usage | None
    latency_ms: float
    first_token_ms: float | None
    finish_reason: str | None
    model: str | None
    label_sources: Dict[str, LabelSource]
    scores: Scores
    score_reasons: Dict[str, str]
    scoring_version: str


class InteractionResult(_InteractionResultRequired, total=False):
    prompt: str
    """Sent in place of `user_message`: another wording of it, whose runs can be compared."""
    context: List[ContextPassage]
    """The passages that the agent returned; where it returned none, those of the scenario."""
    references: List[str]
    """Further acceptable replies; the best match counts."""
    reference_tool_calls: List[ReferenceToolCall]
    """The tool calls expected in this turn. An empty list: none."""
    checks: List[TurnCheck]
    """Checks of the reply to this turn, in addition to those of the run."""
    simulated: Literal[True]
    """Set for the turns of a simulated user, whose messages are not known before the run."""
    cost: float | None
    """US dollars; null or absent when the price is unknown."""
    calls_seen: Literal["none", "world", "spans"]
    """Which tool calls could be seen, when not all: `none`, because the endpoint has no way to report them, `world`,
    only those in its world, or `spans`, because spans that would show them did not come in time. An empty
    `tool_calls` then does not mean that none were made.
    """
    written_call: str
    """A tool of the world that the reply calls in its text, where it counts as no call. `tool_support: prompted` reads
    such calls.
    """
    model_calls: int
    """Model calls of the turn, when there was more than one."""
    session_id: str
    """The session of the turn at a target that keeps one."""
    greeting: str
    """What the agent said before the user's first message, in the first turn."""
    refused_calls: int
    """Calls of an agent in its world that came after the end of the turn before, and were refused."""
    trace: TurnTrace
    """The spans that the agent sent of the turn. Absent without any."""
    user_turn: InteractionResultUserTurn
    """Set for turns of a simulated user: the source of `user_message` and the simulator's reason."""
    reused: InteractionResultReused
    """The run that the reply was taken from, instead of asking again. It cost nothing in this run."""
    stated: Dict[str, bool | None]
    """What the scenario states about this turn, by score: true if it was seen to hold, false if it was seen not to,
    null if undecided. Similarity to a reference states nothing. Absent in turns without a reply and in results of
    earlier releases.
    """
    failed_scores: List[str]
    """Scores that are missing because the judge, the embedder or a check failed."""
    undecided_scores: List[str]
    """Scores without a value because they need tool calls, or arguments, that could not be seen."""
    conflicts: List[Conflict]
    marks: Dict[str, List[ReplyMark]]
    """The places of the reply that lower a score, by the score: facts without a source, actions that were not done."""
    semantic: SemanticDetails
    judgements: Dict[str, JudgeVerdict]
    helper_usage: HelperUsage
    kept_scores: List[str]
    """After rescoring without models: scores based on earlier answers of the judge, labeller or embedder."""
    tool_comparison: ToolComparison
    """Which tool calls are right and wrong, and why. Absent when there is nothing to compare."""
    verdicts: List[TurnVerdict]
    """People's verdicts on the reply; on the last turn also those on the whole conversation. Absent without."""


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


class _InteractionErrorRequired(TypedDict):
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    detail: str
    upstream_status: int | None
    tries: int
    retryable: bool


class InteractionError(_InteractionErrorRequired, total=False):
    upstream_message: str
    """The beginning of the answer of the endpoint, or the end of its stream, without secrets. Only for endpoints of
    the operator's own configuration, and for others with EVAL_UPSTREAM_MESSAGES.
    """


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


class _TurnTraceRequired(TypedDict):
    trace_id: str
    span_id: str
    """The span of the turn, which the agent's own are below."""
    spans: int
    """The spans that came in time."""
    steps: List[TurnStep]
    """The steps in the order of their begin, at most 1,000."""


class TurnTrace(_TurnTraceRequired, total=False):
    incomplete: Literal[True]
    """Set when the span that answers the request, or one above another, did not come in time."""
    tells: List[Literal["calls", "usage", "cost", "context"]]
    """What is known of the turn only by its spans: which tool calls were made, `usage`, `cost`, and `context`."""


class _TurnStepRequired(TypedDict):
    id: str
    """The id of the span."""
    kind: Literal["tool", "model", "retrieval", "agent", "embedding", "other"]
    name: str
    start_ms: float
    """Milliseconds after the begin of the first step."""
    ms: float
    """Duration in milliseconds."""


class TurnStep(_TurnStepRequired, total=False):
    parent: str
    """The step within which it was done. Absent for those that the turn began."""
    error: str
    """Why the step failed."""
    call: int
    """Only of a tool: the index of its call in `tool_calls`."""
    arguments: Any
    """Only of a tool whose call is not listed in `tool_calls`."""
    model: str
    input_tokens: int
    output_tokens: int
    cost: float
    """US dollars, as the span says."""
    text: str
    """Only of a model: the beginning of its answer."""
    passages: int
    """Only of a retrieval: how many it found."""


class _HelperUsageRequired(TypedDict):
    calls: int
    usage: Usage
    cost: float | None


class HelperUsage(_HelperUsageRequired, total=False):
    unpriced: int
    """Answers with an unknown price, which are not in `cost`."""
    refused: int
    """Calls that were skipped because the budget was spent."""


class _LabelSourceRequired(TypedDict):
    source: Literal["endpoint", "labeller", "local"]


class LabelSource(_LabelSourceRequired, total=False):
    method: str
    confidence: float
    unjudged: Literal[True]
    """Set when the labeller does not understand the language of the reply. The label is shown, but counts in no score
    or figure.
    """


Scores: TypeAlias = "Dict[str, float]"


class Conflict(TypedDict):
    kind: Literal["number", "date", "negation", "antonym"]
    reply: str
    reference: str
    message: str


class ReplyMark(TypedDict):
    start: int
    """The first character, as JavaScript counts them."""
    end: int
    """The character after the last."""
    reason: str


class SemanticDetails(TypedDict):
    cosine: float
    baseline: float
    embedder: str


class _JudgeVerdictVotesItemRequired(TypedDict):
    choice: str | None
    """null when the answer is unreadable."""
    reason: str


class JudgeVerdictVotesItem(_JudgeVerdictVotesItemRequired, total=False):
    evidence: List[JudgeEvidence]
    """What the vote rests on. Only ready-made judges quote."""
    model: str
    """The model that voted, in a panel of several."""


class _JudgeVerdictRequired(TypedDict):
    value: float | None
    """Mean of the votes; null when no vote is readable."""
    verdict: str | None
    """The most frequent choice; null on a tie or without votes."""
    votes: List[JudgeVerdictVotesItem]
    agreement: float | None
    """Share of votes for the most frequent choice."""
    judge_audited: bool
    """True when this judge has passed an audit with this question."""


class JudgeVerdict(_JudgeVerdictRequired, total=False):
    left_out: List[str]
    """What of the material was shortened for the judge. Absent when it saw everything."""


class _JudgeEvidenceRequired(TypedDict):
    turn: int
    """The turn, from 1; 0 for the system prompt and the policy."""
    quote: str


class JudgeEvidence(_JudgeEvidenceRequired, total=False):
    call: str
    """The id of the tool call that has it. Absent for what was said."""


class _ToolComparisonPairsItemWrongItemRequired(TypedDict):
    reason: str


class ToolComparisonPairsItemWrongItem(_ToolComparisonPairsItemWrongItemRequired, total=False):
    argument: str
    """Absent when it concerns the arguments as a whole."""


class _ToolComparisonPairsItemRequired(TypedDict):
    call: int | None
    """The call that was assigned to the reference; null: not called."""


class ToolComparisonPairsItem(_ToolComparisonPairsItemRequired, total=False):
    wrong: List[ToolComparisonPairsItemWrongItem]
    """Wrong arguments. Absent when all are right."""


class ToolComparisonProblemsItem(TypedDict):
    call: int
    kind: Literal["unknown_tool", "invalid_arguments"]
    reason: str


class ToolComparison(TypedDict, total=False):
    pairs: List[ToolComparisonPairsItem]
    """One per reference call, in their order. Absent when the turn has no reference calls."""
    unexpected: List[int]
    """Calls that are wrong because no reference expects them, at most 100."""
    problems: List[ToolComparisonProblemsItem]
    """Calls of unknown tools, and arguments that do not fit the tool's schema, at most 100."""


class _TurnVerdictRequired(TypedDict):
    question: str
    """`judge_correctness`, `judge.<name>`, `conversation_quality`, `conversation.<name>`, `outcome.rubric` or the name
    of a turn's rubric answer a question of the judge; `review` asks for the quality in general, `preference`
    whether the reply is better than that of the run `against`.
    """
    rater: str
    choice: str
    value: float
    """The value of the choice, 0 to 1."""
    sampling: Sampling
    given_at: str


class TurnVerdict(_TurnVerdictRequired, total=False):
    against: str
    """For `preference`: id of the run it was compared with."""
    comment: str
    adjudication: Literal[True]
    """Set when it decides a conflict: it counts instead of the others."""


class Replay(TypedDict):
    from_turn: int
    interactions: List[InteractionResult]
    average_scores: Scores
    repaired: bool | None
    """True when every turn from there on is good now; null when not all could be judged."""
    sentence: str


class ExpectationResultPartsItem(TypedDict):
    name: str
    """The rule, such as `state`, `said` or `must_not_call`."""
    passed: bool | None
    reason: str


class _ExpectationResultRequired(TypedDict):
    value: Literal[0] | Literal[1] | None
    """null when a part could not be decided."""
    parts: List[ExpectationResultPartsItem]


class ExpectationResult(_ExpectationResultRequired, total=False):
    state_diff: List[StateDifference]
    """Where the final state differs from the expected one."""


class _StateDifferenceRequired(TypedDict):
    path: str


class StateDifference(_StateDifferenceRequired, total=False):
    expected: Any
    actual: Any


class UserEndReview(TypedDict):
    """The judge's verdict on the simulator, if the run asks for it and no rule found a failure."""
    verdict: str | None
    reason: str


class _UserEndRequired(TypedDict):
    ended: Literal["done", "turns", "recorded", "no_reply", "failed"]
    """`done`: the user ended it. `turns`: no message was left. `recorded`: the recorded messages were sent.
    `no_reply`: the agent gave no reply. `failed`: the simulator gave no answer.
    """


class UserEnd(_UserEndRequired, total=False):
    why: str
    """The simulator's reason for the end."""
    message: str
    """Closing words of the user, which were not sent."""
    failure: SimulatorFailure
    """Set when the simulator failed: the attempt counts in no figure of the agent."""
    helper_usage: HelperUsage
    """Calls of the simulator for the decision to end."""
    review: UserEndReview
    """The judge's verdict on the simulator, if the run asks for it and no rule found a failure."""


class _SimulatorFailureRequired(TypedDict):
    kind: Literal["no_answer", "off_goal", "invented_fact", "spoke_as_agent", "repeated"]
    reason: str
    found_by: Literal["rule", "judge"]


class SimulatorFailure(_SimulatorFailureRequired, total=False):
    turn_index: int
    """The turn whose message shows it."""


class ScoreStats(TypedDict):
    n: int
    """Number of values in the mean."""
    n_missing: int
    """Interactions without this score; for scores of conversations, conversations without it."""
    mean: float | None
    min: float | None
    sd: float | None
    stderr: float | None
    ci_lower: float | None
    ci_upper: float | None
    method: str
    """Method of the interval, or the reason there is none."""


class Reliability(TypedDict):
    threshold: float
    """Minimum `overall` of an attempt, where the run has one; else that of a judge's score, 0.8."""
    attempts: int
    passed: int
    pass_at_k: List[float]
    pass_hat_k: List[float]


class _LabelMetricsRequired(TypedDict):
    n: int
    """Number of labelled replies."""
    accuracy: float | None
    macro_f1: float | None
    kappa: float | None
    confusion: Dict[str, Dict[str, int]]
    """expected → generated → count"""


class LabelMetrics(_LabelMetricsRequired, total=False):
    kappa_ci_lower: float | None
    kappa_ci_upper: float | None
    kappa_method: str
    """Method of kappa's interval, or the reason there is none."""


class Breakdown(TypedDict):
    interaction_type: Dict[str, ScoreSlice]
    turn_index: List[ScoreSlice]
    tag: Dict[str, ScoreSlice]


class ScoreSlice(TypedDict):
    n: int
    """Number of turns. These means weight each turn equally; `average_scores` of the run weights each scenario
    equally.
    """
    average_scores: Dict[str, float]


class Drift(TypedDict):
    scores: Dict[str, DriftGap]
    by_turn: List[Dict[str, DriftGap]]
    sentence: str


class _DriftGapRequired(TypedDict):
    generated: float | None
    reference: float | None
    gap: float | None
    """reference - generated: the loss caused by the model's own earlier replies."""
    n: int
    """Number of turns with the score in both modes. These means weight each turn equally; `average_scores` weights
    each scenario equally.
    """


class DriftGap(_DriftGapRequired, total=False):
    ci_lower: float | None
    """Lower end of the gap's 95 % interval, clustered by scenario (within a scenario, by attempt); null when there is
    too little data. Given over all turns, and by turn for `overall`.
    """
    ci_upper: float | None
    """Upper end of the interval."""


class FailureCause(TypedDict):
    code: Literal["json_invalid", "encoding_invalid", "header_invalid", "model_id_missing", "model_id_invalid", "idempotency_key_invalid", "auth_missing", "auth_invalid", "auth_expired", "scope_missing", "origin_not_allowed", "endpoint_not_allowed", "not_found", "model_not_found", "run_not_found", "method_not_allowed", "request_timeout", "idempotency_in_progress", "run_already_finished", "run_cancelled", "run_not_finished", "body_too_large", "uri_too_long", "media_type", "content_encoding", "host_not_allowed", "validation_failed", "json_too_deep", "key_forbidden", "endpoint_invalid", "too_many_interactions", "pattern_unsupported", "idempotency_mismatch", "context_length_exceeded", "rate_limited", "upstream_rate_limited", "budget_exceeded", "headers_too_large", "client_closed", "internal_error", "upstream_unreachable", "upstream_dns", "upstream_tls", "upstream_auth", "upstream_rejected", "upstream_error", "upstream_reset", "upstream_redirect", "simulator_failed", "world_limit", "upstream_invalid_reply", "upstream_reply_too_large", "endpoint_address_refused", "overloaded", "shutting_down", "storage_unavailable", "upstream_circuit_open", "upstream_timeout", "storage_full"]
    count: int
    detail: str
    """Of the first turn."""


class ScenarioCounts(TypedDict):
    total: int
    passing: int
    """Every attempt passed."""
    flaky: int
    """Some attempts passed."""
    failing: int
    """No attempt passed."""
    no_reply: int
    """No attempt got all its replies. Not counted as `failing`."""
    unscored: int
    """Nothing to measure the replies against, or the scoring failed."""
    waiting: int
    """No attempt has ended."""


class AlwaysFailing(TypedDict):
    scenario_id: str
    turns: List[int]
    """Values of `turn_index`."""


class _SequenceDecisionRequired(TypedDict):
    score: str
    margin: float | None
    verdict: SequenceVerdictName
    stopped_by: Literal["decided", "scenarios", "budget", "cancelled"] | None
    """Null while the comparison runs. `scenarios`: there are no more."""
    scenarios: int
    """Scenarios that count, in the random order of the run."""
    planned: int
    """Scenarios there are."""
    left_out: int
    """Scenarios that do not count: the baseline has no reply, or one side has no score. With a verdict, up to the
    scenario that decided.
    """
    effect: float | None
    """Mean difference; null before the first scenario."""
    lower: float | None
    """Lower end of the 95 % confidence sequence, right at every moment."""
    upper: float | None
    sentence: str


class SequenceDecision(_SequenceDecisionRequired, total=False):
    missing_as_zero: int
    """Replies that the candidate is missing; they count as 0."""
    bound: float
    """With `not_worse`: the lower end of the one-sided 95 % confidence sequence, which the verdict rests on."""
    undetected_failures: float
    """Set when `better` or `not_worse` rests on the spread between the scenarios: the largest share of complete
    failures that so few scenarios do not exclude. Absent when the verdict holds for any distribution.
    """
    beaten_by: str
    """With more than two variants: the one that was shown to be better, so that this one was dropped."""


SequenceVerdictName: TypeAlias = "Literal['better', 'worse', 'closer', 'less_close', 'not_worse', 'undecided']"


class Durations(TypedDict):
    n: int
    """Number of timed replies."""
    mean: float
    p50: float
    """Median."""
    p95: float
    """95th percentile."""
    max: float


class _GateResultChecksItemRequired(TypedDict):
    name: str
    required: float
    actual: float | None
    passed: bool


class GateResultChecksItem(_GateResultChecksItemRequired, total=False):
    scenario_id: str
    undecided: Literal[True]
    """Set when it does not pass because tool calls that the score needs could not be seen."""
    not_worse: Literal["not_worse", "worse", "undecided"]
    """Verdict of `not_worse_by`; `actual` is then the end of the one-sided 95 % interval."""
    sentence: str


class GateResult(TypedDict):
    passed: bool
    checks: List[GateResultChecksItem]


class FlakinessScenariosItem(TypedDict):
    scenario_id: str
    variance: float
    share: float
    """Share of the variance of all scenarios."""
    attempts: int


class Flakiness(TypedDict):
    sentence: str
    scenarios: List[FlakinessScenariosItem]


class _RescoredRequired(TypedDict):
    at: str
    replaced: List[str]
    """Settings replaced since the run was created; `test_batch` stands for the expectations of its scenarios."""


class Rescored(_RescoredRequired, total=False):
    asked_models: Literal[True]
    """Judge, labeller and embedder were called again."""
    partial: Literal[True]
    """The rescoring was interrupted and some turns have their old scores. Repeat it to complete it."""


class _SimulatedUsersRequired(TypedDict):
    attempts: int
    """Finished attempts with a simulated user."""
    failed: int
    """Attempts in which the simulator failed. They are in no other figure of the run."""
    share: float
    """`failed` divided by `attempts`."""
    low: float
    """The 95 % interval of the share (Wilson)."""
    high: float
    kinds: Dict[str, int]
    """Failures by kind."""
    scores_with_failures: Dict[str, float]
    """Mean scores of the run if each failed attempt counts as 0. Equal to `average_scores` without failures."""
    passed: int
    """Attempts that passed."""
    usage: HelperUsage
    """Calls, tokens and cost of the simulator."""


class SimulatedUsers(_SimulatedUsersRequired, total=False):
    limit: float
    """The share above which the run is undecided: `gate.max_simulator_failures`, or 0.2."""
    undecided: Literal[True]
    """Set when `share` is above `limit`: too much is left out for the run to pass or fail."""


class _WarningRequired(TypedDict):
    pointer: str
    message: str


class Warning(_WarningRequired, total=False):
    suggestion: str


class _MeasuresRequired(TypedDict):
    overall: str
    """Weights and scorers that make up `overall`."""
    judge: str | None
    """The judge and its questions; null without a judge."""
    judge_scores: List[str]
    """Names of the judge's scores."""
    labels: str
    """The labeller and the label rules."""


class Measures(_MeasuresRequired, total=False):
    weighted: bool
    """True when `overall` consists only of the scores that have weights."""
    checks: Dict[str, str]
    """Settings of each check of the run, by score name."""


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


class AdaptiveAttempts(TypedDict):
    min: int
    max: int
    ci_width: float


class RunSequence2(TypedDict):
    """Set when the run stops as soon as a comparison is decided; `opponent` is the run of the other side."""
    side: Literal["candidate", "baseline"]
    opponent: str | None


class _RunRequired(TypedDict):
    run_id: str
    test_name: str
    endpoint: str
    """Keys in its query are redacted."""
    model_id: str
    state: RunState
    message: str
    demo: bool
    created_at: str
    started_at: str | None
    finished_at: str | None
    progress: Progress
    summary: RunSummary | None


class Run(_RunRequired, total=False):
    interrupted: bool
    """True when the run has not ended and the command that executed it is gone. Continue it with `rehearsal eval
    --resume`.
    """
    tags: List[str]
    """Absent when there are none."""
    metadata: Metadata
    """Of the request; absent when it is empty."""
    priority: int
    """Runs with a higher priority, and their calls at an endpoint, go first. Running attempts are not interrupted.
    Default 0.
    """
    warnings: List[Warning]
    """Absent when there are none."""
    sequence: RunSequence2
    """Set when the run stops as soon as a comparison is decided; `opponent` is the run of the other side."""
    experiment: ExperimentPlan
    """Set when the run is one of several variants."""


class Progress(TypedDict):
    attempts_total: int
    """Planned attempts."""
    attempts_done: int
    """Attempts that have ended, including those skipped because the budget was spent. `interactions_done` counts the
    turns that ran.
    """
    interactions_total: int
    """Turns of all planned attempts; with history `both`, of both passes."""
    interactions_done: int
    """Turns that ran, including failed ones."""
    interactions_failed: int
    """Turns without a usable reply."""


class RunSummaryCost(TypedDict):
    """US dollars, judging and labelling included."""
    total: float
    unpriced: int
    """Replies with an unknown price, judge and labeller included."""


class RunSummaryPassHatK(TypedDict):
    """pass^k: the probability that k attempts at a scenario all pass, for the largest k that every scenario has.
    Absent with single attempts.
    """
    k: int
    mean: float
    """Mean over the scenarios."""
    scenarios: int
    """Scenarios with a passed or failed attempt."""


class _RunSummaryRequired(TypedDict):
    average_scores: Scores
    score_stats: Dict[str, ScoreStats]
    label_metrics: Dict[str, LabelMetrics]
    usage: Usage
    interactions: int
    failed: int


class RunSummary(_RunSummaryRequired, total=False):
    failures: List[FailureCause]
    """Causes of missing replies, most frequent first; at most 10."""
    scenarios: ScenarioCounts
    always_failing: List[AlwaysFailing]
    """Passing and flaky scenarios in which the same turns fail in every attempt; at most 200. Absent when there are
    none.
    """
    unscored: int
    """Replies without an `overall` because the judge, the embedder or a check failed, and replies of conversations
    without a verdict. They are not part of its mean.
    """
    written_calls: int
    """Replies that look like a tool call written as text, which counts as no call."""
    undecided_scores: Dict[str, int]
    """Attempts in which a score has no value because the tool calls that it needs could not be seen, by the name of
    the score. They are not part of its mean, and a gate on it does not pass.
    """
    stopped_by: Literal["budget", "decided"]
    """Set when the run ended early. Its results are kept."""
    decision: SequenceDecision
    """Result of a run that stops when it is decided."""
    cost: RunSummaryCost
    """US dollars, judging and labelling included."""
    helper_usage: HelperUsage
    latency_ms: Durations
    """Durations of answered calls, without earlier tries and waits."""
    first_token_ms: Durations
    """Present when replies were streamed."""
    conflicts: int
    """Replies that contradict their reference."""
    breakdown: Breakdown
    drift: Drift
    reference_scores: Scores
    """With history `both`: the scores with reference history."""
    gate: GateResult
    flaky: int
    """Scenarios with both passed and failed attempts."""
    flakiness: Flakiness
    judge_audited: bool
    unaudited_scores: List[str]
    """Scores that rest on a judge without an audit, `overall` where it contains one of them."""
    rescored: Rescored
    simulated_users: SimulatedUsers
    """Present when scenarios have a simulated user."""
    pass_hat_k: RunSummaryPassHatK
    """pass^k: the probability that k attempts at a scenario all pass, for the largest k that every scenario has.
    Absent with single attempts.
    """


class _ExperimentPlanRequired(TypedDict):
    id: str
    """Id of the experiment: that of its first run."""
    variant: str
    runs: List[str]
    """Ids of the runs that were created together, in the order of the variants."""


class ExperimentPlan(_ExperimentPlanRequired, total=False):
    factors: Dict[str, str]
    """With `vary`: the level of each setting."""


class RunList(TypedDict):
    runs: List[Run]
    next_cursor: str | None


RepeatedRequest: TypeAlias = "Dict[str, Any]"
"""A body of POST /evaluate without the fields that have their default value."""


class _RunScenarioListRequired(TypedDict):
    scenarios: List[RunScenario]
    offset: int
    """Position of the first scenario among all matches."""
    total: int
    """Number of matches."""
    counts: Dict[str, int]
    """Number of scenarios in the run by status."""


class RunScenarioList(_RunScenarioListRequired, total=False):
    overall: ScoreStats
    """`overall` over all scenarios so far, with its interval. Equal to the run's summary once it has ended, except for
    attempts that were cut short.
    """


class RunScenario(TypedDict):
    scenario_id: str
    description: str
    status: ScenarioStatus
    attempts: List[AttemptOutline]
    overall: float | None
    """Mean over the attempts."""
    sd: float | None
    """Standard deviation of `overall` over the attempts."""


class AttemptOutline(TypedDict):
    attempt: int
    outcome: Literal["passed", "failed", "errored", "unscored", "unfinished", "simulator_failed"]
    overall: float | None


class _FrozenConversationKeptItemRequired(TypedDict):
    id: str
    version: str
    created: bool
    """False when this content was already stored."""


class FrozenConversationKeptItem(_FrozenConversationKeptItemRequired, total=False):
    duplicate_of: str
    """Another scenario with the same turns."""


class _FrozenConversationRequired(TypedDict):
    scenario: ScenarioInput


class FrozenConversation(_FrozenConversationRequired, total=False):
    kept: List[FrozenConversationKeptItem]
    """With `keep`: the stored scenario."""
    warnings: List[Warning]


class _ScenarioInputRequired(TypedDict):
    id: str
    description: str
    """Default: ""."""
    interactions: List[InteractionInput]
    """The scripted turns. At least one, unless the scenario has a `user`. Default: []."""


class ScenarioInput(_ScenarioInputRequired, total=False):
    system_prompt: str
    """Replaces the system prompt of the request."""
    tags: List[str]
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


class _InteractionInputRequired(TypedDict):
    user_message: str
    agent_reply: str
    """Filled in by the service. In a request it is ignored, unless its `protocol` is `recorded`. Default: ""."""
    reference_reply: str
    """The expected reply. Without one, the reply gets no similarity scores. Default: ""."""
    reference_metadata: Metadata
    """Default: {}."""
    generated_metadata: Metadata
    """Ignored in a request; filled in by the service. Default: {}."""


class InteractionInput(_InteractionInputRequired, total=False):
    id: str
    """Default: `turn-1` for the first turn, and so on."""
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
    interaction_type: str
    """Default: `opening` for the first turn, `follow_up` for the others."""
    checks: List[TurnCheck]
    """Checks of the reply to this turn, in addition to those of the run."""


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


class _HealthRequired(TypedDict):
    status: Literal["ok"]


class Health(_HealthRequired, total=False):
    detail: str
    """Describes a part that does not work. Requests that do not need it are served."""


class RunComparisonBaseline(TypedDict):
    run_id: str
    test_name: str
    model_id: str
    endpoint: str
    demo: bool


class RunComparisonCandidate(TypedDict):
    run_id: str
    test_name: str
    model_id: str
    endpoint: str
    demo: bool


class RunComparisonUnpaired(TypedDict):
    baseline_only: int
    candidate_only: int
    changed: int
    """Same ids, but the user message or the expectation differs."""


class RunComparisonSimulatedUsers(TypedDict):
    """Attempts with simulated users, and those left out because the simulator failed."""
    baseline: SimulatedUsers | None
    candidate: SimulatedUsers | None


class _RunComparisonRequired(TypedDict):
    comparable: bool
    reason: str | None
    """The reason the runs cannot be compared."""
    verdict: Verdict | None
    """Verdict on `overall`, or on the first available score; on `outcome` where `overall` only says how close replies
    are to their references.
    """
    sentence: str
    baseline: RunComparisonBaseline
    candidate: RunComparisonCandidate
    scores: List[ScoreComparison]
    unpaired: RunComparisonUnpaired
    notes: List[str]
    """Scores and attempts that were excluded, and the reasons."""
    changed: List[ChangedInteraction]
    """Regressions first, sorted by size; at most 200."""
    regressions: int
    """Total number, including those not listed in `changed`."""
    improvements: int


class RunComparison(_RunComparisonRequired, total=False):
    settings: List[SettingChange]
    """Settings of the model under test that differ; empty when none do."""
    not_worse: NotWorse
    """Set when a `margin` was given and the runs can be compared."""
    corrected: List[CorrectedEffect]
    """Differences in the judge's scores, corrected by people's verdicts. Set when a run has verdicts."""
    win_rate: CorrectedMean
    """How often people would prefer the candidate's reply, from their choices between replies of both runs; a tie
    counts half. `raw` counts the reply with the higher score of the judge, or `overall`, as preferred. Set when
    there are such choices.
    """
    simulated_users: RunComparisonSimulatedUsers
    """Attempts with simulated users, and those left out because the simulator failed."""


Verdict: TypeAlias = "Literal['better', 'worse', 'closer', 'less_close', 'no_difference_seen', 'same', 'undecided']"


class SettingChange(TypedDict):
    setting: str
    """`system_prompt`, `parameters.temperature`, `scenarios.<id>.system_prompt` …"""
    baseline: Any
    """null when it was not set."""
    candidate: Any


class _ScoreComparisonRequired(TypedDict):
    name: str
    baseline: float
    candidate: float
    effect: float
    """Mean of candidate - baseline over scenarios."""
    ci_lower: float | None
    ci_upper: float | None
    p: float | None
    p_adjusted: float | None
    """Corrected (Holm) for the number of scores besides the one the verdict rests on, which is not corrected."""
    scenarios: int
    interactions: int
    scenarios_better: int
    scenarios_worse: int
    detectable_effect: float | None
    """Smallest difference that this many scenarios detect with 80 % power, corrected for the number of scores. null
    when it exceeds the range of the score: these scenarios cannot show any difference.
    """
    scenarios_needed: int | None
    """Number of scenarios that would detect a difference of 0.05 with 80 % power, corrected for the number of scores."""
    method: str
    verdict: Verdict
    sentence: str


class ScoreComparison(_ScoreComparisonRequired, total=False):
    ci_lower_adjusted: float | None
    """Lower end of the 95 % interval corrected like `p_adjusted`: it excludes 0 exactly when the verdict is `better`,
    `worse`, `closer` or `less_close`.
    """
    ci_upper_adjusted: float | None
    adjusted_for: int
    """Number of scores that the correction covers: 1 for the score the verdict rests on, the number of the others for
    each of those.
    """
    judge_audited: Literal[False]
    """Set when the score is, or contains, that of a judge without an audit."""


class ChangedInteraction(TypedDict):
    scenario_id: str
    interaction_id: str
    user_message: str
    score: str
    """`overall`; `success` when `overall` is missing in one of the runs, or when only `success` fell."""
    baseline: float
    candidate: float
    difference: float


class NotWorse(TypedDict):
    verdict: NotWorseVerdict
    """`not_worse` if all measures are, `worse` if one is."""
    sentence: str
    family_error: float
    """Probability, at most, that a measure is called not worse although it loses its margin."""
    measures: List[NotWorseMeasure]
    next: str | None
    """What to run when undecided, and the commands for it; null otherwise."""


NotWorseVerdict: TypeAlias = "Literal['not_worse', 'worse', 'undecided']"


class NotWorseMeasureWouldDecide(TypedDict):
    scenarios: int | None
    """Scenarios in all, with the same number of attempts; null above a million."""
    attempts: int | None
    """Attempts per scenario in both runs, with the same scenarios; null when 100 would not be enough, or when a run
    has a single attempt.
    """
    cheaper: Literal["scenarios", "attempts"] | None
    """The one that takes fewer calls."""


class _NotWorseMeasureRequired(TypedDict):
    name: str
    """A score, `pass_rate`, `latency_ms` or `cost_per_turn`."""
    kind: Literal["difference", "ratio"]
    """`ratio` for latency and cost, where the margin is the accepted share of increase."""
    margin: float
    baseline: float | None
    candidate: float | None
    effect: float | None
    """Mean of candidate - baseline over scenarios; for a ratio, mean of the candidate / mean of the baseline."""
    bound: float | None
    """End of the one-sided 95 % interval of `effect`: the lower end of a difference, the upper end of a ratio."""
    p: float | None
    """Of the hypothesis that the loss is the margin or more."""
    p_adjusted: float | None
    """Corrected (Hochberg) for the number of measures."""
    scenarios: int
    method: str
    """Method of the bound, or the reason there is none."""
    verdict: NotWorseVerdict
    would_decide: NotWorseMeasureWouldDecide | None
    """Set when undecided."""
    sentence: str


class NotWorseMeasure(_NotWorseMeasureRequired, total=False):
    missing_as_zero: int
    """Replies that the candidate is missing; they count as 0."""
    missing_in_baseline: int
    """Replies that the baseline is missing; the same attempts of the candidate are left out."""
    scenarios_left_out: int
    """Shared scenarios in which only one run has the score."""
    undetected_failures: float
    """Set when `not_worse` rests on the spread between the scenarios: the largest share of complete failures that so
    few scenarios do not exclude. Absent when the verdict holds for any distribution.
    """


class CorrectedEffectVerdicts(TypedDict):
    baseline: int
    candidate: int


class CorrectedEffect(TypedDict):
    score: str
    effect: float | None
    ci_lower: float | None
    ci_upper: float | None
    method: str
    baseline: float | None
    candidate: float | None
    verdicts: CorrectedEffectVerdicts
    sentence: str


class CorrectedMeanRaw(TypedDict):
    """The judge's own mean, as in the run."""
    mean: float | None
    ci_lower: float | None
    ci_upper: float | None


class CorrectedMeanLabelsAlone(TypedDict):
    mean: float | None
    ci_lower: float | None
    ci_upper: float | None


class CorrectedMeanMisclassification(TypedDict):
    sensitivity: float
    specificity: float
    mean: float | None
    ci_lower: float | None
    ci_upper: float | None


_CorrectedMeanRequired = TypedDict("_CorrectedMeanRequired", {"score": "str", "raw": "CorrectedMeanRaw", "mean": "float | None", "ci_lower": "float | None", "ci_upper": "float | None", "method": "str", "verdicts": "int", "replies": "int", "scenarios": "int", "lambda": "float | None", "labels_alone": "CorrectedMeanLabelsAlone | None", "misclassification": "CorrectedMeanMisclassification | None", "more_verdicts": "int | None", "sentence": "str"})


class CorrectedMean(_CorrectedMeanRequired, total=False):
    skipped: int
    """Replies that were drawn and skipped. Their verdict is unknown: it counts as 0 at the lower end of the interval
    and as 1 at the upper end.
    """


class _PairwiseComparisonRequired(TypedDict):
    pairs: int
    """Pairs with a verdict in both orders."""
    unreadable: int
    wins: int
    """Pairs won by the candidate."""
    losses: int
    ties: int
    """Pairs judged a tie, or whose verdict changed with the order."""
    position_flip_rate: float | None
    win_rate: float | None
    """Share of wins plus half of the ties, averaged over scenarios."""
    ci_lower: float | None
    ci_upper: float | None
    p: float | None
    """Sign test over scenarios."""
    sentence: str
    judge_audited: bool


class PairwiseComparison(_PairwiseComparisonRequired, total=False):
    limited: Literal[True]
    """Set when there are more pairs than `limit`: only the first pairs, in the order of the candidate's scenarios,
    were judged.
    """
    corrected: CorrectedMean
    """The win rate corrected by people's choices between the same replies. Set when there are some."""
    helper_usage: HelperUsage
    """Usage of the judge's calls."""
    warnings: List[Warning]
    """Unknown fields, which were ignored. Absent when there are none."""


class _RunRankingRequired(TypedDict):
    comparable: bool
    reason: str | None
    """The reason the runs cannot be ranked."""
    score: str
    sentence: str
    runs: List[RankedRun]
    """Highest mean first. Empty when the runs cannot be ranked."""
    scenarios: int
    """Number of scenarios that all runs share."""
    interactions: int
    scenarios_needed: int | None
    """Number of scenarios that would detect a difference of 0.05 between the first two runs with 80 % power."""
    notes: List[str]
    """Exclusions and the reasons for them."""


class RunRanking(_RunRankingRequired, total=False):
    closeness: Literal[True]
    """Set when the score only says how close replies are to their references: first is closest, not best."""


class RankedRun(TypedDict):
    run_id: str
    test_name: str
    model_id: str
    endpoint: str
    demo: bool
    place: RankPlace
    mean: float
    """Mean over the turns that all runs share."""
    ci_lower: float | None
    ci_upper: float | None
    to_first: RankDistance | None
    """null for the first."""
    worse_than: List[str]
    """Ids of the runs that are significantly better."""
    failed: int
    """Turns without a reply."""
    cost_per_1000_turns: float | None
    """US dollars, judging included; null when a price is unknown."""
    latency_ms: float | None
    """Median duration of the replies."""


RankPlace: TypeAlias = "Literal['best', 'may_be_best', 'behind']"


class _RankDistanceRequired(TypedDict):
    effect: float
    """Mean of this run - the first run over scenarios."""
    ci_lower: float | None
    ci_upper: float | None
    p_adjusted: float | None
    """Corrected (Holm) for the number of pairs of runs."""


class RankDistance(_RankDistanceRequired, total=False):
    ci_lower_adjusted: float | None
    """Lower end of the 95 % interval corrected like `p_adjusted`."""
    ci_upper_adjusted: float | None
    p: float | None
    """Of this pair alone, as in a comparison of the two runs."""
    adjusted_for: int
    """Number of pairs that the correction covers."""


NoiseFloors: TypeAlias = "Dict[str, NoiseFloor]"


class NoiseFloor(TypedDict):
    runs: int
    mean: float | None
    sd: float | None
    floor: float | None
    """Differences between two single runs below this are within the noise."""
    method: str


class _RunEstimateRequired(TypedDict):
    calls: Range
    """Calls of the model under test, the judge, the labeller and the simulator."""
    model_calls: Range
    helper_calls: Range
    input_tokens: Range
    output_tokens: Range
    money: Range | None
    """US dollars; null when the price of a model is unknown."""
    seconds: Range
    based_on: str
    """Source of the estimate: earlier runs of the model, or rough averages."""
    sentence: str
    within_budget: bool | None
    """True when the expected values fit the budget; null without a budget."""


class RunEstimate(_RunEstimateRequired, total=False):
    simulator_calls: Range
    """Part of `helper_calls`: calls for simulated users, if there are any."""
    warnings: List[Warning]
    """Warnings the run would have. Absent when there are none."""


class Range(TypedDict):
    low: float
    expected: float
    high: float


class JudgeAuditLengthBias(TypedDict):
    """Correlation of the judge's error with the length of the reply, and how often the longer reply of an equal pair
    won.
    """
    correlation: float | None
    pairs: int
    longer_wins: float | None


class _JudgeAuditRequired(TypedDict):
    fingerprint: str
    """Identifies the judge with its question. Scores with the same fingerprint count as audited."""
    passed: bool
    """True when the lower end of kappa's interval is at least 0.4 over 20 or more items, at least 5 items are not of
    the most frequent choice, and at most 5 % of the answers are unreadable.
    """
    items: int
    judged: int
    kappa: float | None
    ci_lower: float | None
    ci_upper: float | None
    agreement: float | None
    """Share of items on which judge and person agree."""
    base_rate: float | None
    """Agreement reached by always giving the person's most frequent choice."""
    confusion: Dict[str, Dict[str, int]]
    """person → judge → count"""
    self_consistency: float | None
    """Share of items that got the same choice every time."""
    position_flip_rate: float | None
    """Share of pairs whose winner changed with the order."""
    length_bias: JudgeAuditLengthBias
    """Correlation of the judge's error with the length of the reply, and how often the longer reply of an equal pair
    won.
    """
    notes: List[str]


class JudgeAudit(_JudgeAuditRequired, total=False):
    helper_usage: HelperUsage
    """Usage of the judge's calls."""
    warnings: List[Warning]
    """Unknown fields, which were ignored. Absent when there are none."""


class _ExperimentRequired(TypedDict):
    experiment_id: str
    test_name: str
    state: Literal["running", "completed", "cancelled", "failed"]
    """Of all runs together."""
    score: str
    """The score that the figures are about."""
    sentence: str
    best: str | None
    """The variant that is shown to be better than every other; null without one."""
    variants: List[ExperimentVariant]
    """In the order they were added."""
    ranking: RunRanking | None
    """All pairs of variants, corrected by Holm's method. Null while a run is unfinished, with one variant, and where
    variants were compared until it was decided.
    """
    effects: List[MainEffect]
    """With `vary`: what each level does, over all combinations."""
    rows: List[ExperimentRow]
    """The scenarios, those with the largest spread first; at most `limit`."""
    scenarios: int
    """Number of scenarios, also those that are not listed."""


class Experiment(_ExperimentRequired, total=False):
    pairs: List[ExperimentPair]
    """Set where the variants are compared until it is decided: every comparison that is made."""


class _ExperimentVariantRequired(TypedDict):
    name: str
    run_id: str
    """Its newest run."""
    model_id: str
    state: RunState
    mean: float | None
    """Mean of the score over the scenarios that have it in this run."""
    passing: int | None
    """Scenarios of which every attempt passed; null before the end."""
    cost: float | None
    """US dollars; null when a price is unknown."""
    cost_per_solved: float | None
    """US dollars of the run for each attempt that passed; null without one, or when a price is unknown."""
    replies: int
    reused: int
    """Replies that were taken from earlier runs."""
    oldest_reused: str | None
    """The start of the oldest run that replies were taken from."""


class ExperimentVariant(_ExperimentVariantRequired, total=False):
    factors: Dict[str, str]
    """With `vary`: the level of each setting."""
    dropped: Literal[True]
    """Set when the run stopped early because another variant was shown to be better."""


class ExperimentPair(TypedDict):
    baseline: str
    """Name of a variant."""
    candidate: str
    verdict: SequenceVerdictName
    scenarios: int
    effect: float | None
    lower: float | None
    """Lower end of the confidence sequence, right at every moment for all pairs at once."""
    upper: float | None
    sentence: str


class MainEffect(TypedDict):
    setting: str
    level: str
    against: str
    """The first level of the setting."""
    effect: float
    """Mean difference over scenarios."""
    ci_lower: float | None
    """95 % interval, corrected like `p_adjusted`."""
    ci_upper: float | None
    p_adjusted: float | None
    """Corrected (Holm) for the number of effects."""
    adjusted_for: int
    """Number of effects that the correction covers."""
    scenarios: int
    sentence: str


class ExperimentRow(TypedDict):
    scenario_id: str
    message: str
    """The last message of the user that is known before the run, shortened."""
    spread: float | None
    """Largest minus smallest score."""
    cells: List[ExperimentCell | None]
    """In the order of the variants; null where one has no such scenario."""


class _ExperimentCellRequired(TypedDict):
    score: float | None
    """Mean of the score over its attempts and turns."""
    passed: int
    """Attempts that passed."""
    attempts: int
    """Attempts that have ended with a turn."""
    reply: str | None
    """The last reply of the first attempt, shortened; null without one."""


class ExperimentCell(_ExperimentCellRequired, total=False):
    reused: str
    """Set when the reply was taken from an earlier run: its start."""


class _RunSequenceRequired(TypedDict):
    score: str
    margin: float | None
    verdict: SequenceVerdictName
    stopped_by: Literal["decided", "scenarios", "budget", "cancelled"] | None
    """Null while the comparison runs. `scenarios`: there are no more."""
    scenarios: int
    """Scenarios that count, in the random order of the run."""
    planned: int
    """Scenarios there are."""
    left_out: int
    """Scenarios that do not count: the baseline has no reply, or one side has no score. With a verdict, up to the
    scenario that decided.
    """
    effect: float | None
    """Mean difference; null before the first scenario."""
    lower: float | None
    """Lower end of the 95 % confidence sequence, right at every moment."""
    upper: float | None
    sentence: str
    candidate: str
    """Id of the run."""
    baseline: str | None
    """Id of the run it is compared with; null with a threshold."""
    threshold: float | None
    estimand: str
    """The quantity that the interval is about."""
    points: List[SequenceStep]
    """The way there, at most 60 points."""


class RunSequence(_RunSequenceRequired, total=False):
    missing_as_zero: int
    """Replies that the candidate is missing; they count as 0."""
    bound: float
    """With `not_worse`: the lower end of the one-sided 95 % confidence sequence, which the verdict rests on."""
    undetected_failures: float
    """Set when `better` or `not_worse` rests on the spread between the scenarios: the largest share of complete
    failures that so few scenarios do not exclude. Absent when the verdict holds for any distribution.
    """
    beaten_by: str
    """With more than two variants: the one that was shown to be better, so that this one was dropped."""


class SequenceStep(TypedDict):
    scenarios: int
    effect: float
    """Mean difference of these scenarios."""
    lower: float
    upper: float


class ScoreAgreements(TypedDict):
    run_id: str
    verdicts: int
    """Verdicts on replies of this run."""
    scores: List[ScoreAgreement]
    """Highest correlation first."""
    notes: List[str]


class ScoreAgreement(TypedDict):
    score: str
    correlation: float | None
    """Spearman's rank correlation with the verdicts."""
    ci_lower: float | None
    """95 % interval; null when there is none."""
    ci_upper: float | None
    replies: int
    scenarios: int
    method: str
    """Method of the interval, or the reason there is none."""


class VerdictList(TypedDict):
    verdicts: List[HumanVerdict]


class _HumanVerdictRequired(TypedDict):
    scenario_id: str
    attempt: int
    turn_index: int
    """Counted from 0. For a question about the whole conversation: its last turn."""
    question: str
    """`judge_correctness`, `judge.<name>`, `conversation_quality`, `conversation.<name>`, `outcome.rubric` or the name
    of a turn's rubric answer a question of the judge; `review` asks for the quality in general, `preference`
    whether the reply is better than that of the run `against`.
    """
    rater: str
    choice: str
    value: float
    """The value of the choice, 0 to 1."""
    sampling: Sampling
    given_at: str


class HumanVerdict(_HumanVerdictRequired, total=False):
    against: str
    """For `preference`: id of the run it was compared with."""
    comment: str
    adjudication: Literal[True]
    """Set when it decides a conflict: it counts instead of the others."""


class _StoredVerdictsRequired(TypedDict):
    stored: int
    withdrawn: int
    skipped: int
    """Rows of a file without a choice."""


class StoredVerdicts(_StoredVerdictsRequired, total=False):
    warnings: List[Warning]


class _ReviewQueueRequired(TypedDict):
    rater: str
    question: ReviewQuestion
    questions: List[ReviewQuestion]
    items: List[ReviewItem]
    """The next replies for this rater; empty when there are none."""
    progress: ReviewProgress


class ReviewQueue(_ReviewQueueRequired, total=False):
    rater_fixed: Literal[True]
    """Set when the API key gives verdicts under this name only."""


class _ReviewQuestionRequired(TypedDict):
    name: str
    text: str
    choices: Choices
    scope: Literal["turn", "conversation", "pair"]
    judged: bool
    """True when the run's judge answered it too."""


class ReviewQuestion(_ReviewQuestionRequired, total=False):
    varies: Literal[True]
    """Set for a rubric of single turns or scenarios: `question` of each reply holds its text and choices."""


class ReviewItemConversationBeforeItem(TypedDict):
    user_message: str
    reply: str


class ReviewItemQuestion(TypedDict):
    """The question about this reply. Set when it `varies`."""
    text: str
    choices: Choices


class ReviewItemConversationBeforeOtherItem(TypedDict):
    user_message: str
    reply: str


class _ReviewItemRequired(TypedDict):
    scenario_id: str
    attempt: int
    turn_index: int
    """Counted from 0. For a question about the whole conversation: its last turn."""
    interaction_id: str
    conversation_before: List[ReviewItemConversationBeforeItem]
    user_message: str
    reply: str
    reference_reply: str


class ReviewItem(_ReviewItemRequired, total=False):
    sampling: Sampling
    """How the queue chose the reply. Send it back with the verdict."""
    question: ReviewItemQuestion
    """The question about this reply. Set when it `varies`."""
    other_reply: str
    """For `preference`: the reply of the run `against`."""
    conversation_before_other: List[ReviewItemConversationBeforeOtherItem]


class ReviewProgressRatersItem(TypedDict):
    rater: str
    verdicts: int


class _ReviewProgressRequired(TypedDict):
    replies: int
    """Replies that can be judged."""
    judged: int
    """Replies with at least one verdict."""
    complete: int
    """Replies with as many verdicts as wanted."""
    mine: int
    """Verdicts of this rater."""
    conflicts: int
    """Replies whose verdicts differ and were not adjudicated."""
    raters: List[ReviewProgressRatersItem]


class ReviewProgress(_ReviewProgressRequired, total=False):
    skipped: int
    """Replies that were skipped and that no one has judged."""


class AgreementRatersItem(TypedDict):
    rater: str
    verdicts: int


class AgreementAlpha(TypedDict):
    """Krippendorff's alpha."""
    nominal: AgreementCoefficient
    ordinal: AgreementCoefficient
    interval: AgreementCoefficient


class AgreementPairsItem(TypedDict):
    raters: List[str]
    kappa: AgreementCoefficient


class AgreementPeople(TypedDict):
    """The mean of people's verdicts on a random part of the replies, with an exact interval over scenarios."""
    mean: float | None
    ci_lower: float | None
    ci_upper: float | None


class Agreement(TypedDict):
    question: ReviewQuestion
    raters: List[AgreementRatersItem]
    replies: int
    """Replies with at least one verdict."""
    alpha: AgreementAlpha
    """Krippendorff's alpha."""
    fleiss: AgreementCoefficient
    """Fleiss' kappa."""
    pairs: List[AgreementPairsItem]
    """Cohen's kappa of each two raters."""
    people: AgreementPeople
    """The mean of people's verdicts on a random part of the replies, with an exact interval over scenarios."""
    judge: AgreementCoefficient | None
    """Cohen's kappa of the judge and the people's verdict; null without a judge."""
    conflicts: List[VerdictConflict]
    """At most 500, those to decide first."""
    open_conflicts: int
    sentence: str


class AgreementCoefficient(TypedDict):
    value: float | None
    ci_lower: float | None
    ci_upper: float | None
    method: str
    """How the interval was made, or why there is none."""
    replies: int
    """Replies with two verdicts or more."""


class _VerdictConflictVerdictsItemRequired(TypedDict):
    rater: str
    choice: str


class VerdictConflictVerdictsItem(_VerdictConflictVerdictsItemRequired, total=False):
    comment: str


class VerdictConflict(TypedDict):
    scenario_id: str
    attempt: int
    turn_index: int
    """Counted from 0. For a question about the whole conversation: its last turn."""
    verdicts: List[VerdictConflictVerdictsItem]
    adjudicated: str | None
    """The choice that decided it."""


class CorrectionsLabelNextItemRepliesItem(TypedDict):
    scenario_id: str
    attempt: int
    turn_index: int
    """Counted from 0. For a question about the whole conversation: its last turn."""


class CorrectionsLabelNextItem(TypedDict):
    question: str
    replies: List[CorrectionsLabelNextItemRepliesItem]


class Corrections(TypedDict):
    scores: List[CorrectedMean]
    label_next: List[CorrectionsLabelNextItem]
    """The replies whose verdicts would help next, random within strata of the judge's score."""
    notes: List[str]


class LibraryList(TypedDict):
    scenarios: List[LibraryEntry]
    next_cursor: str | None


class LibraryEntry(TypedDict):
    id: str
    description: str
    tags: List[str]
    interactions: int
    """Turns; 0 for a scenario whose messages a simulated user writes."""
    version: str
    versions: int
    updated_at: str
    demo: bool


ScenarioBody: TypeAlias = "ScenarioInput | List[ScenarioInput]"


class _KeptScenariosScenariosItemRequired(TypedDict):
    id: str
    version: str
    created: bool
    """False when this content was already stored."""


class KeptScenariosScenariosItem(_KeptScenariosScenariosItemRequired, total=False):
    duplicate_of: str
    """Another scenario with the same turns."""


class _KeptScenariosRequired(TypedDict):
    scenarios: List[KeptScenariosScenariosItem]


class KeptScenarios(_KeptScenariosRequired, total=False):
    warnings: List[Warning]
    """Unknown fields, which were not stored. Absent when there are none."""


class _ImportAnswerNotesItemRequired(TypedDict):
    kind: Literal["dropped", "changed", "kept", "unusable"]
    """`dropped`: left out. `changed`: converted to another form. `kept`: nothing is lost; says where it went.
    `unusable`: imported, but a run does not accept it.
    """
    message: str


class ImportAnswerNotesItem(_ImportAnswerNotesItemRequired, total=False):
    line: int
    pointer: str


class _ImportAnswerKeptItemRequired(TypedDict):
    id: str
    version: str
    created: bool
    """False when this content was already stored."""


class ImportAnswerKeptItem(_ImportAnswerKeptItemRequired, total=False):
    duplicate_of: str
    """Another scenario with the same turns."""


class _ImportAnswerRequired(TypedDict):
    format: str
    reason: str
    scenarios: List[ScenarioInput]
    notes: List[ImportAnswerNotesItem]
    kept: List[ImportAnswerKeptItem]


class ImportAnswer(_ImportAnswerRequired, total=False):
    changes: List[LibraryChange]
    """With `dry_run`: what each scenario would do to the library, in their order."""
    review_run_id: str
    """With `review`: the stored run of the recorded replies. Absent when no conversation has any."""
    conversations: List[TracedConversation]
    """The conversations of a file with traces, also those that the filter left out; at most 1000."""
    warnings: List[Warning]
    """Unknown fields, which were ignored. Absent when there are none."""


class _LibraryChangeRequired(TypedDict):
    id: str
    state: Literal["new", "replaced", "unchanged"]
    """`replaced`: the library has other content under this id, which becomes an earlier version."""


class LibraryChange(_LibraryChangeRequired, total=False):
    loses: List[str]
    """With `replaced`: what the stored scenario has and the new one has not, such as `checks of 2 turns`."""


class TracedConversation(TypedDict):
    id: str
    """The id of the thread, the session or the trace."""
    started_at: str | None
    """null when the traces have no time."""
    turns: int
    models: List[str]
    tool_calls: int
    errors: int
    """Failed steps."""
    first_message: str
    taken: bool
    """False when the filter left it out."""


class LibraryScenario(TypedDict):
    scenario: Scenario
    version: str
    created_at: str
    """Time at which this version was stored."""
    demo: bool
    """True for the examples of a new library."""


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


class ScenarioVersionsVersionsItem(TypedDict):
    version: str
    created_at: str


class ScenarioVersions(TypedDict):
    versions: List[ScenarioVersionsVersionsItem]


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


StoredTurn = TypedDict("StoredTurn", {"scenario_id": "str", "attempt": "int", "turn_index": "int", "pass": "int", "interaction_id": "str", "agent_reply": "str", "error": "InteractionError | None", "scores": "Scores | None", "latency_ms": "float", "cost": "float | None"})
