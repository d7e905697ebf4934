/** A common label with typical replies. */
export interface CommonLabel {
  /** A label matches when it contains all words of one of these names. */
  readonly names: readonly string[];
  readonly replies: readonly string[];
}

/** Examples from outside the batch, for labels with few or no examples in it. */
export const commonLabels: readonly CommonLabel[] = [
  {
    names: ["greeting", "greet", "greetings", "welcome", "hello", "opening"],
    replies: [
      "Hello! How can I help you today?",
      "Hi there, welcome! What can I do for you?",
      "Good morning, thanks for contacting us. How may I assist you?",
      "Hey, nice to meet you.",
    ],
  },
  {
    names: ["farewell", "goodbye", "closing", "bye"],
    replies: [
      "Goodbye and have a great day!",
      "Thanks for chatting with us, take care. Bye!",
      "You're welcome! Have a nice day.",
      "Is there anything else I can help you with?",
    ],
  },
  {
    names: ["thanks", "gratitude", "thank"],
    replies: ["Thank you very much.", "Thanks a lot for your patience.", "We appreciate your feedback, thank you."],
  },
  {
    names: ["apology", "apologize", "apologise", "sorry"],
    replies: [
      "I'm sorry for the inconvenience.",
      "We apologize for the trouble this has caused.",
      "Please accept our apologies for the delay.",
    ],
  },
  {
    names: ["confirmation", "confirm", "confirmed"],
    replies: ["Your booking is confirmed.", "Done, that is all set now.", "I have confirmed your request."],
  },
  {
    names: ["refund", "reimbursement", "money back"],
    replies: [
      "Your refund has been issued and should reach your account within five business days.",
      "We will refund the full amount to your card.",
      "I have started the refund, you will get your money back.",
    ],
  },
  {
    names: ["return", "returns", "exchange"],
    replies: [
      "You can return the item within 30 days with the prepaid label.",
      "I can send you an exchange for another size.",
      "Please pack the product and drop off the return parcel.",
    ],
  },
  {
    names: ["order status", "tracking", "track order", "track"],
    replies: [
      "Your order has shipped and is on its way.",
      "The tracking number is 48213; it should arrive on Friday.",
      "Your parcel left the warehouse on Monday.",
    ],
  },
  {
    names: ["shipping", "delivery"],
    replies: [
      "Standard shipping takes three to five working days.",
      "Delivery is free for orders over 50 dollars.",
      "We deliver to your address by courier.",
    ],
  },
  {
    names: ["cancellation", "cancel", "cancelled"],
    replies: [
      "Your order has been cancelled.",
      "I have cancelled your subscription as of today.",
      "You can cancel at any time under Account.",
    ],
  },
  {
    names: ["complaint", "dissatisfaction"],
    replies: [
      "I understand your frustration and have filed your complaint.",
      "That should not have happened; I will report the problem to the team.",
    ],
  },
  {
    names: ["clarification", "question", "request info", "information request", "follow up question"],
    replies: [
      "Could you tell me your order number?",
      "Can you give me a few more details, please?",
      "What exactly happens when you try it?",
      "Which one do you mean?",
    ],
  },
  {
    names: ["refusal", "decline", "denial", "rejection", "unable"],
    replies: [
      "I'm afraid I cannot help with that.",
      "Unfortunately we are unable to do this.",
      "I can't share that information.",
    ],
  },
  {
    names: ["escalation", "escalate", "handoff", "transfer", "human agent"],
    replies: [
      "I will connect you with a colleague.",
      "Let me transfer you to a human agent.",
      "I have passed your case on to our specialist team, who will contact you.",
    ],
  },
  {
    names: ["billing", "payment", "invoice"],
    replies: [
      "Your invoice is under Billing in your account.",
      "The payment was charged to your credit card.",
      "You can pay by card or bank transfer.",
    ],
  },
  {
    names: ["pricing", "price", "cost"],
    replies: ["The price is 20 dollars a month.", "It costs 49 euros including tax.", "The basic plan is free."],
  },
  {
    names: ["password reset", "password", "login", "account access"],
    replies: [
      "Click on Forgot password and follow the link in the email to reset your password.",
      "I have unlocked your account, you can log in again.",
    ],
  },
  {
    names: ["troubleshooting", "technical support", "technical issue", "tech support"],
    replies: [
      "Please restart the device and try again.",
      "Check that the cable is plugged in and update the app.",
      "Clear the cache of your browser and reload the page.",
    ],
  },
  {
    names: ["appointment", "scheduling", "schedule", "booking", "reservation"],
    replies: [
      "Your appointment is booked for Tuesday at 10 am.",
      "I can offer you a slot on Thursday afternoon.",
      "Your table for two is reserved at seven.",
    ],
  },
  {
    names: ["recommendation", "suggestion", "recommend"],
    replies: [
      "I would recommend the larger model.",
      "You might like our new collection.",
      "I suggest the premium plan for you.",
    ],
  },
];
