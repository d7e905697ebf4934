import { unreachableService } from "../../api/api-error.ts";
import { useEffect, useState, type ComponentType, type ReactNode } from "react";

type Module<Props> = { readonly default: ComponentType<Props> };

type LazyComponent<Props> = ComponentType<Props & { readonly fallback?: ReactNode }> & {
  /** Starts loading before the component is needed. */
  preload(): Promise<unknown>;
};

type LoadState<Props> = { readonly component?: ComponentType<Props>; readonly error?: unknown };

/**
 * A component whose code is loaded when it is first rendered. Unlike `React.lazy` it replaces the fallback at once (React
 * keeps one for 300 ms), shows none when the code is loaded already, and retries after a failure.
 */
export function lazyComponent<Props extends object>(load: () => Promise<Module<Props>>): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;

  const preload = (): Promise<ComponentType<Props>> => {
    loading ??= load().then(
      (module) => (loaded = module.default),
      (error: unknown) => {
        loading = undefined;
        throw unreachableService(`This screen could not be loaded from ${location.origin}.`, error);
      },
    );
    return loading;
  };

  function View({ fallback, ...props }: Props & { readonly fallback?: ReactNode }) {
    const [state, setState] = useState<LoadState<Props>>(() => (loaded ? { component: loaded } : {}));
    useEffect(() => {
      if (state.component) return;
      let current = true;
      preload().then(
        (component) => current && setState({ component }),
        (error: unknown) => current && setState({ error }),
      );
      return () => {
        current = false;
      };
    }, [state.component]);

    if (state.error !== undefined) throw state.error;
    const Loaded = state.component;
    return Loaded ? <Loaded {...(props as unknown as Props)} /> : fallback;
  }
  return Object.assign(View, { preload });
}
