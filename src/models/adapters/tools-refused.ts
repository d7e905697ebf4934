/** A message about one tool or about its schema: whoever wrote the tool must mend it. */
const oneTool = /schema|propert|tools?[.[]\d|(?:tool|function)s? (?:type|name|['"`])/;

/** How servers say that a model takes no tools at all: OpenAI, vLLM, llama.cpp, Ollama, TGI, OpenRouter, Groq, DeepSeek, LiteLLM. */
const noTools = [
  /(?:not|n't) support(?:ed)?\b[^.;]{0,30}\b(?:tools?|functions?|function[_ -]calling)\b/,
  /\b(?:tools?|functions|(?:tool|function)[_ -]?(?:use|calls?|calling))\b['"`]?[^.;]{0,40}(?:not|n't) (?:supported|enabled|available|allowed|permitted)/,
  /\btools?\b[^.;]{0,40} requires? --/,
  /no \w+ found that supports? tool/,
  /(?:unrecognized|unknown|unsupported|unexpected) [\w ]{0,30}(?:parameter|argument|field|key|property)s?(?: \w+)?:? ?['"`]?tools\b/,
  /unexpected role:? ?['"`]?tool\b/,
];

/** The pydantic way to say that the whole field is unknown. It repeats the tools it was sent, schemas and all. */
const unknownField = '"loc":["body","tools"],"msg":"extra inputs are not permitted"';

/** Whether an error's message, in lower case, says that tools are not supported, rather than that one of them is wrong. */
export function refusesTools(message: string): boolean {
  if (message.includes(unknownField)) return true;
  return !oneTool.test(message) && noTools.some((pattern) => pattern.test(message));
}
