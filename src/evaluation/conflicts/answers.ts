/** The word that answers a question, at the beginning of a sentence: "Yes, you can", but neither "No refunds" nor "No. 5". */
export const answers =
  /(?<=(?:^|[.!?:] )[*"']{0,3})(yes|yeah|yep|no(?!\. ?\d)|nope)(?=[*"']{0,3}(?:[,.;:!?]|$| [-—]| (?:i|you|it|we|they|he|she|that|this|there)\b))/gu;
