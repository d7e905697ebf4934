/** Why a file that was chosen is not here. */
export function FileProblem({ problem }: { problem: string | null }) {
  if (problem === null) return null;
  return (
    <p role="alert" className="verbatim text-sm text-bad">
      ✕ {problem}
    </p>
  );
}
