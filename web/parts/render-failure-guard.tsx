import { Component, type ReactNode } from "react";
import { FailedNotice } from "./failed-notice.tsx";

interface GuardProps {
  /** A failure is forgotten when this changes: the next screen gets its chance. */
  readonly path?: string;
  /** Stands in the place of what cannot be drawn. Left out: the failure itself. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

interface GuardState {
  readonly error: unknown;
}

/** Keeps what is around it alive when a screen, or a part of one, cannot be drawn or its code cannot be loaded. */
export class RenderFailureGuard extends Component<GuardProps, GuardState> {
  override state: GuardState = { error: null };

  static getDerivedStateFromError(error: unknown): GuardState {
    return { error };
  }

  override componentDidUpdate(previous: GuardProps): void {
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

/** A page that is loaded anew while nothing answers is lost to the browser's own error: what is there is kept until then. */
async function reloadWhenReached(): Promise<void> {
  const reached = await fetch(location.href, { method: "HEAD", credentials: "omit" }).catch(() => null);
  if (reached) location.reload();
}
