/** One answer of Fernway, the shop of the demos. */
interface KnowledgeEntry {
  readonly id: string;
  readonly questions: readonly string[];
  readonly answer: string;
}

export const knowledge: readonly KnowledgeEntry[] = [
  {
    id: "delivery-time",
    questions: [
      "How long does delivery take?",
      "When will my order arrive?",
      "How many days does shipping take?",
      "How fast do you ship?",
    ],
    answer: "Standard delivery takes 2 to 4 working days. You get a tracking link by email when the parcel leaves us.",
  },
  {
    id: "delivery-express",
    questions: [
      "Do you offer express delivery?",
      "overnight shipping",
      "Can I get it tomorrow?",
      "faster delivery",
      "next day delivery",
    ],
    answer: "Express delivery costs 9 euros and arrives on the next working day if you order before 2 pm.",
  },
  {
    id: "delivery-cost",
    questions: [
      "How much does delivery cost?",
      "shipping fee",
      "Is delivery free?",
      "What do you charge for shipping?",
      "postage costs",
    ],
    answer: "Delivery is free for orders over 50 euros; below that it costs 4.90 euros.",
  },
  {
    id: "delivery-abroad",
    questions: [
      "Do you ship to other countries?",
      "international delivery abroad",
      "Can you send it to another country?",
      "Do you deliver to Norway?",
      "Do you deliver to Switzerland or the United States?",
    ],
    answer: "We deliver to every country of the European Union, to Norway, Switzerland and the United Kingdom.",
  },
  {
    id: "track-order",
    questions: [
      "Where is my parcel?",
      "How do I track my order?",
      "tracking number",
      "My parcel is late",
      "My package has not shown up",
      "Where is my package?",
    ],
    answer: "Follow the tracking link in your shipping email. If the parcel is more than 2 days late, we look for it.",
  },
  {
    id: "returns",
    questions: ["Can I return an item?", "return policy", "How do I send something back?"],
    answer:
      "You can return unused items within 30 days of delivery. Print the prepaid label in your account; returns are free.",
  },
  {
    id: "refund-time",
    questions: ["When do I get my money back?", "How long does a refund take?", "refund"],
    answer: "A refund reaches your account within 5 working days after the parcel is back with us.",
  },
  {
    id: "damaged",
    questions: [
      "My item arrived broken",
      "The product is damaged",
      "It arrived in pieces",
      "cracked or smashed",
      "It broke on the way",
    ],
    answer:
      "We are sorry when something arrives damaged. Tell us your order number and choose a replacement or a refund.",
  },
  {
    id: "warranty",
    questions: [
      "How long is the warranty?",
      "My kettle stopped working",
      "The toaster broke after a year, is it covered?",
      "Do you repair appliances? guarantee",
    ],
    answer: "All our kettles and other appliances have a warranty of 2 years. Repair and shipping are free.",
  },
  {
    id: "payment",
    questions: [
      "Which payment methods do you accept?",
      "Can I pay by invoice, PayPal or credit card?",
      "Do you take Visa or Mastercard?",
    ],
    answer: "We accept credit cards, PayPal, bank transfer and payment by invoice.",
  },
  {
    id: "charged-twice",
    questions: ["I was charged twice", "There are two payments on my card", "I got billed two times", "double payment"],
    answer: "A second charge is usually a reservation. Your bank releases it within 3 working days.",
  },
  {
    id: "discount",
    questions: [
      "My discount code does not work",
      "voucher or promo code",
      "My coupon is not working",
      "Can I combine codes with a sale?",
    ],
    answer: "Discount codes are valid for orders over 50 euros, one code per order, on sale items too.",
  },
  {
    id: "gift-wrap",
    questions: ["Do you wrap gifts?", "gift wrapping and a greeting card for a present"],
    answer: "We wrap gifts for 3 euros and add a card with your own words.",
  },
  {
    id: "change-order",
    questions: ["Can I change the delivery address?", "change my order"],
    answer: "As long as an order has not shipped, you can change its address and items in your account.",
  },
  {
    id: "cancel-order",
    questions: ["How do I cancel my order?", "cancellation"],
    answer: "You can cancel an order in your account until it ships, and you get the full amount back.",
  },
  {
    id: "opening-hours",
    questions: ["What are your opening hours?", "When are you open?", "When does the shop open or close?"],
    answer: "Our team is here from Monday to Friday, 9 am to 6 pm.",
  },
  {
    id: "human",
    questions: ["Can I talk to a human?", "phone number", "contact a real person or an agent"],
    answer: "You can reach our team by phone or email from Monday to Friday; the details are on the contact page.",
  },
  {
    id: "about-demo",
    questions: [
      "Who are you?",
      "Are you a bot, a real AI or a language model?",
      "Am I talking to a robot?",
      "What can you do?",
    ],
    answer: "I am a built-in demo that looks up answers about the shop Fernway. I am not a language model.",
  },
  {
    id: "greeting",
    questions: ["Hello", "Hi there", "Good morning", "Hey"],
    answer: "Hello! Ask me about delivery, returns, payment or your order at Fernway.",
  },
  {
    id: "thanks",
    questions: ["Thank you", "Thanks for your help", "Goodbye", "bye"],
    answer: "You are welcome. Have a good day!",
  },
];
