import { unreachable } from "../api-error.ts";
import { useEffect, useState, type ComponentType, type ReactNode } from "react";

type Module<Props> = { readonly default: ComponentType<Props> };

type LazyView<Props> = ComponentType<Props & { readonly fallback?: ReactNode }> & {
  /** Starts loading before the view is needed. */
  preload(): Promise<unknown>;
};

type LoadState<Props> = { readonly view?: ComponentType<Props>; readonly error?: unknown };

/**
 * A view whose code comes when it is first shown. Unlike `React.lazy` it replaces the fallback at once
 * (React holds a fallback for 300 ms), shows none when the code is there already, and tries again after a failure.
 */
export function lazyView<Props extends object>(load: () => Promise<Module<Props>>): LazyView<Props> {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;

  const preload = (): Promise<ComponentType<Props>> => {
    loading ??= load().then(
      (module) => (loaded = module.default),
      (error: unknown) => {
        loading = undefined;
        throw unreachable(`This screen could not be loaded from ${location.origin}.`, error);
      },
    );
    return loading;
  };

  function View({ fallback, ...props }: Props & { readonly fallback?: ReactNode }) {
    const [state, setState] = useState<LoadState<Props>>(() => (loaded ? { view: loaded } : {}));
    useEffect(() => {
      if (state.view) return;
      let current = true;
      preload().then(
        (view) => current && setState({ view }),
        (error: unknown) => current && setState({ error }),
      );
      return () => {
        current = false;
      };
    }, [state.view]);

    if (state.error !== undefined) throw state.error;
    const Loaded = state.view;
    return Loaded ? <Loaded {...(props as unknown as Props)} /> : fallback;
  }
  return Object.assign(View, { preload });
}
