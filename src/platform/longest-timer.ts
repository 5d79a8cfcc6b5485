/** The longest timer of Node.js, in milliseconds: a longer one fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
