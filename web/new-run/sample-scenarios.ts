import brokenVase from "../../examples/scenarios/broken-vase.json";
import cancelOrder from "../../examples/scenarios/cancel-order.json";
import discountCode from "../../examples/scenarios/discount-code.json";
import kettleWarranty from "../../examples/scenarios/kettle-warranty.json";
import lateBirthdayParcel from "../../examples/scenarios/late-birthday-parcel.json";
import returnDeskLamp from "../../examples/scenarios/return-desk-lamp.json";

const scenarios = [lateBirthdayParcel, discountCode, kettleWarranty, brokenVase, cancelOrder, returnDeskLamp];

/** Conversations with a shop's support, without the fields a request leaves empty. One fails and one is flaky with the demo models. */
export const sampleScenarios = scenarios.map((scenario) => ({
  ...scenario,
  interactions: scenario.interactions.map(({ agent_reply: _reply, generated_metadata: _labels, ...input }) => input),
}));
