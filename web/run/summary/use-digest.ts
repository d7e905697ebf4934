import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { exportLines } from "../../api/runs.ts";
import { isEnded } from "../../parts/runs/run-facts.ts";
import { createDigest, type DigestedTurn, type PageDigest } from "./run-digest.ts";

/** Turns between two updates of the progress count. */
const reportEvery = 1000;

interface DigestState {
  readonly digest: PageDigest | undefined;
  readonly error: Error | null;
  /** Turns read so far. */
  readonly read: number;
  readonly refetch: () => void;
}

/** Streams all turns of a large, finished run into a digest. */
export function useDigest(run: Run, { enabled }: { enabled: boolean }): DigestState {
  const [read, setRead] = useState(0);
  const query = useQuery({
    queryKey: ["digest", run.run_id],
    queryFn: async ({ signal }) => {
      const { add, digest } = createDigest();
      let count = 0;
      for await (const line of exportLines(run.run_id, signal)) {
        add(JSON.parse(line) as DigestedTurn);
        count += 1;
        if (count % reportEvery === 0) setRead(count);
      }
      return digest();
    },
    enabled: enabled && isEnded(run.state),
    staleTime: Infinity,
  });
  return { digest: query.data, error: query.error, read, refetch: () => void query.refetch() };
}
