import { Link } from "wouter";
import { Screen } from "./parts/screen.tsx";

export function NotFoundScreen() {
  return (
    <Screen title="There is nothing at this address">
      <p>
        The link may be cut off or from another version.{" "}
        <Link href="/runs" className="link">
          Go to the runs
        </Link>
      </p>
    </Screen>
  );
}
