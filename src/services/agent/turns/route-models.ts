import { compact } from "../../../base/compact.ts";
import type { ToolSupport } from "../../../agent/prompted/tool-support.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { RoutedModel, Router } from "../../../models/routing/router.ts";
import type { TurnRequest } from "./turn.ts";

/** The model of a turn, followed by its fallbacks. */
export type TurnRoutes = readonly [RoutedModel, ...RoutedModel[]];

/** Finds the models a request names and lets each use tools. Rejects with a `ServiceError` when one is not available. */
export async function routeModels(
  { modelId, fallbacks, clientTools = [] }: Pick<TurnRequest, "modelId" | "fallbacks" | "clientTools">,
  { router, toolSupport }: { router: Router; toolSupport: ToolSupport },
): Promise<TurnRoutes> {
  const withTools = (route: RoutedModel): RoutedModel => {
    const { provider, resolved, model } = route;
    const wrapped = toolSupport.wrap({ provider, model_id: resolved, model, clientTools: clientTools.length > 0 });
    return { ...route, model: wrapped };
  };
  if (fallbacks.length === 0) return [withTools(await router.route(modelId))];
  const routeFallback = (id: string) =>
    router.route(id).catch((error: unknown) => Promise.reject(toFallbackError(error)));
  const [first, ...others] = await Promise.all([router.route(modelId), ...fallbacks.map(routeFallback)]);
  return [withTools(first), ...others.map(withTools)];
}

/** An error about a fallback. It names the header, because the model asked for first may be fine. */
export class FallbackError extends ServiceError {
  constructor(cause: ServiceError) {
    super(
      cause.code,
      `x-model-fallbacks: ${cause.message.replace(/^x-model-id /, "")}`,
      compact({
        cause,
        hint: cause.hint,
        suggestions: cause.suggestions,
      }),
    );
  }
}

/** Errors about a model become a `FallbackError`; others are returned unchanged. */
export function toFallbackError(error: unknown): unknown {
  return error instanceof ServiceError && error.code.startsWith("model_") ? new FallbackError(error) : error;
}
