/** Lets everybody else have their turn. Unlike an awaited promise, which goes on before anything that waits for a timer or the network. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve));
}
