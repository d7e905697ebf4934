/** The longest wait a timer of Node can hold, in milliseconds: a longer one fires at once. */
export const longestTimer = 2 ** 31 - 1;
