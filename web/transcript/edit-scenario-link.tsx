import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { Link } from "wouter";
import { hasScenario } from "../library-api.ts";
import { scenarioPath } from "../parts/paths.ts";

/** The way to the scenario in the library, for somebody who sees that its reference is what is wrong. Not all scenarios are there. */
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
