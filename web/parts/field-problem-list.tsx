import type { FieldProblem } from "./field-problems.ts";
import { placeWords, problemWords, receivedWords } from "./problem-words.ts";

/** What the service found wrong, each with its place. */
export function FieldProblemList({ problems }: { problems: readonly FieldProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm">
      {problems.map((problem) => (
        <li key={`${problem.pointer} ${problem.code}`} className="verbatim text-bad">
          ✕ <Place words={placeWords(problem.pointer)} />
          {problemWords(problem)}
          <Received words={receivedWords(problem)} />
        </li>
      ))}
    </ul>
  );
}

function Place({ words }: { words: string }) {
  return words === "" ? null : <span className="font-medium">{words}: </span>;
}

function Received({ words }: { words: string | null }) {
  return words === null ? null : <span className="text-soft"> (it says {words})</span>;
}
