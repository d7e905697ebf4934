import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { Link } from "wouter";
import { hasScenario } from "../api/library.ts";
import { scenarioPath } from "../parts/address/paths.ts";

/** Links to the scenario in the library, if it is there: a failure may show that its reference is wrong. */
export function EditScenarioLink({ scenarioId }: { scenarioId: string }) {
  const stored = useQuery({
    queryKey: ["library", "has", scenarioId],
    queryFn: () => hasScenario(scenarioId),
    staleTime: 60_000,
  });
  if (!stored.data) return null;
  return (
    <Link href={scenarioPath(scenarioId)} className="button">
      <Pencil aria-hidden size={14} /> Edit scenario
    </Link>
  );
}
