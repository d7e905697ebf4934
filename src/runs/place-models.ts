import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Places } from "../base/semaphore.ts";
import type { ModelTarget } from "./model-target.ts";

type CreateModel = (target: ModelTarget) => ChatModel;

/** Models each of whose calls needs a place in this process, and holds it only while the model is asked. */
export function placeModels(create: CreateModel, places: Places): CreateModel {
  return (target) => {
    const model = create(target);
    return (request, call) => places.take(call.signal, () => model(request, call), target.owner);
  };
}
