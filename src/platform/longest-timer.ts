/** The longest time in milliseconds that a timer of Node.js supports. A timer with a longer time fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
