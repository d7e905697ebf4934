/** How servers name what we ask for: OpenAI, Azure, Groq, DeepSeek, vLLM, LiteLLM, and OpenAI's responses. */
const structuredOutput = /response[_ ]format|\bjson_schema\b|\btext\.format\b|structured[_ ]outputs?\b/;

/** Whether an error's message, in lower case, is about the form the reply was asked for in. */
export function refusesFormat(message: string): boolean {
  return structuredOutput.test(message);
}
