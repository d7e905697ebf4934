import { Component, type ReactNode } from "react";
import { FailedNotice } from "./notices.tsx";

interface BoundaryProps {
  /** The error is cleared when this changes. */
  readonly path?: string;
  /** Shown instead of the children. Default: the error. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: unknown;
}

/** Catches errors of rendering and of loading code. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override componentDidUpdate(previous: BoundaryProps): void {
    if (previous.path !== this.props.path && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    return (
      <div className="p-4">
        <FailedNotice error={this.state.error} onRetry={() => void reloadWhenReached()} />
      </div>
    );
  }
}

/** Reloads only when the service responds; otherwise the browser would replace the page with its own error. */
async function reloadWhenReached(): Promise<void> {
  const reached = await fetch(location.href, { method: "HEAD", credentials: "omit" }).catch(() => null);
  if (reached) location.reload();
}
