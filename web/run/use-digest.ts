import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "../../src/contract/schemas/run.ts";
import { exportLines } from "../api.ts";
import { isEnded } from "../parts/run-state.ts";
import { createDigest, type DigestedTurn, type RunDigest } from "./run-digest.ts";

/** How often the count of read turns is shown anew. */
const tellEvery = 1000;

interface Digesting {
  readonly digest: RunDigest | undefined;
  readonly error: Error | null;
  /** Turns read so far. */
  readonly read: number;
  readonly refetch: () => void;
}

/** Goes through all turns of a large run that has ended, keeping none of them. */
export function useDigest(run: Run, { enabled }: { enabled: boolean }): Digesting {
  const [read, setRead] = useState(0);
  const query = useQuery({
    queryKey: ["digest", run.run_id],
    queryFn: async ({ signal }) => {
      const { add, digest } = createDigest();
      let count = 0;
      for await (const line of exportLines(run.run_id, signal)) {
        add(JSON.parse(line) as DigestedTurn);
        count += 1;
        if (count % tellEvery === 0) setRead(count);
      }
      return digest();
    },
    enabled: enabled && isEnded(run.state),
    staleTime: Infinity,
  });
  return { digest: query.data, error: query.error, read, refetch: () => void query.refetch() };
}
