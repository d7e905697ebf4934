/**
 * What is still to be streamed of a plug-in's answer after the model's last reply was, word by word. Most plug-ins hand that reply on,
 * trimmed or with something added: nobody wants to read it twice. Another text is set apart by an empty line.
 */
export function unsaidText(answer: string, said: string): string {
  const known = said.trim();
  if (known === "") return answer;
  const rest = restAfter(answer, said) ?? restAfter(answer.trimStart(), known);
  if (rest === null) return answer === "" ? "" : `\n\n${answer}`;
  return rest.trim() === "" ? "" : rest;
}

function restAfter(text: string, beginning: string): string | null {
  return text.startsWith(beginning) ? text.slice(beginning.length) : null;
}
